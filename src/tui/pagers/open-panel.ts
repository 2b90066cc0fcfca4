// Opens a pager by its name. Each is loaded when it is opened.
import type { Face } from '../face.js';
import type { PanelName } from './panel-names.js';
import type { PanelParts } from './panel-parts.js';

export interface OpenPanelParts extends PanelParts {
  readonly openPager: Face['openPager'];
  /** Where other keys are written down. */
  readonly keysFile: string;
  /** The settings were written. */
  readonly onSettings: () => void;
}

/** Resolves when it is open. */
export async function openPanel(name: PanelName, parts: OpenPanelParts): Promise<void> {
  void parts.openPager(await pagerOf(name, parts));
}

async function pagerOf(name: PanelName, parts: OpenPanelParts) {
  switch (name) {
    case 'transcript':
      return (await import('./transcript.js')).openTranscript(parts);
    case 'sessions':
      return (await import('./sessions.js')).openSessions(parts);
    case 'rewind':
      return (await import('./rewind.js')).openRewind(parts);
    case 'tasks':
      return (await import('./tasks.js')).openTasks(parts);
    case 'model':
      return (await import('./choose.js')).openModels(parts);
    case 'outputStyle':
      return (await import('./choose.js')).openOutputStyles(parts);
    case 'context':
      return (await import('./context.js')).openContext(parts);
    case 'settings':
      return (await import('./settings.js')).openSettings(parts, parts.onSettings);
    case 'keys':
      return (await import('./text-pager.js')).openKeys(parts, parts.keysFile);
  }
}
