// Opens a pager by its name. Loaded, with all of them, when the first is opened.
import type { Face } from '../face.js';
import { openModels, openOutputStyles } from './choose.js';
import { openContext } from './context.js';
import { openKeys, type PanelParts } from './pager-window.js';
import type { PanelName } from './panel-names.js';
import { openRewind } from './rewind.js';
import { openSessions } from './sessions.js';
import { openSettings } from './settings.js';
import { openTasks } from './tasks.js';
import { openTranscript } from './transcript.js';

export interface OpenPanelParts extends PanelParts {
  readonly openPager: Face['openPager'];
  /** The file in which other keys are written down. */
  readonly keysFile: string;
  /** The settings were written. */
  readonly onSettings: () => void;
}

/** Resolves when it is open. */
export async function openPanel(name: PanelName, parts: OpenPanelParts): Promise<void> {
  void parts.openPager(await pagerOf(name, parts));
}

function pagerOf(name: PanelName, parts: OpenPanelParts) {
  switch (name) {
    case 'transcript':
      return openTranscript(parts);
    case 'sessions':
      return openSessions(parts);
    case 'rewind':
      return openRewind(parts);
    case 'tasks':
      return openTasks(parts);
    case 'model':
      return openModels(parts);
    case 'outputStyle':
      return openOutputStyles(parts);
    case 'context':
      return openContext(parts);
    case 'settings':
      return openSettings(parts, parts.onSettings);
    case 'keys':
      return openKeys(parts, parts.keysFile);
  }
}
