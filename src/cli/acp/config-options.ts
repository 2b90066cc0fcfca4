// What a client can set in a session: the mode, the model, the effort. One rule: the current value is always one of those
// on offer.
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { ModelInfo } from '../../protocol/model.js';
import { EFFORT_LEVELS, type EffortLevel } from '../../protocol/options.js';
import type { PermissionMode } from '../../protocol/permissions.js';

/** The value of "as the session was started". */
export const DEFAULT_VALUE = 'default';

export interface SessionSettings {
  readonly mode: PermissionMode;
  /** True if everything may run unasked. */
  readonly mayBypass: boolean;
  /** As it was chosen; `DEFAULT_VALUE` if nobody did. */
  readonly model: string;
  readonly models: readonly ModelInfo[];
  readonly effort: EffortLevel | typeof DEFAULT_VALUE;
}

const MODES: Readonly<Record<Exclude<PermissionMode, 'yolo'>, readonly [name: string, description: string]>> = {
  default: ['Ask', 'Asks before it edits files or runs commands.'],
  acceptEdits: ['Accept edits', 'Edits files of the workspace without asking.'],
  plan: ['Plan', 'Looks and plans; changes nothing until the plan is approved.'],
  auto: ['Auto', 'A model judges what the rules leave open, when settings name one; else it asks.'],
  dontAsk: ['Do not ask', 'Refuses whatever it would have to ask about.'],
  bypassPermissions: ['Bypass', 'Runs everything without asking.'],
};

const EFFORT_NAMES: Readonly<Record<EffortLevel, string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Very high',
  max: 'Maximum',
};

export function modesOf({ mode, mayBypass }: SessionSettings): SessionModeState {
  const current = knownMode(mode);
  const offered = Object.entries(MODES).filter(
    ([id]) => id !== 'bypassPermissions' || mayBypass || current === 'bypassPermissions',
  );
  return {
    currentModeId: current,
    availableModes: offered.map(([id, [name, description]]) => ({ id, name, description })),
  };
}

export function configOptions(settings: SessionSettings): SessionConfigOption[] {
  const { currentModeId, availableModes } = modesOf(settings);
  return [
    {
      id: 'mode',
      type: 'select',
      name: 'Mode',
      category: 'mode',
      description: 'What runs without a question.',
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description }) => ({
        value: id,
        name,
        description: description ?? null,
      })),
    },
    {
      id: 'model',
      type: 'select',
      name: 'Model',
      category: 'model',
      currentValue: settings.model,
      options: modelChoices(settings),
    },
    {
      id: 'effort',
      type: 'select',
      name: 'Effort',
      category: 'thought_level',
      description: 'How much work the model puts in.',
      currentValue: settings.effort,
      options: [
        { value: DEFAULT_VALUE, name: 'Default', description: 'As settings and the model say.' },
        ...EFFORT_LEVELS.map((level) => ({ value: level, name: EFFORT_NAMES[level] })),
      ],
    },
  ];
}

function modelChoices({ model, models }: SessionSettings) {
  const listed = models
    .filter(({ isEnabled, value }) => isEnabled && value !== DEFAULT_VALUE)
    .map(({ value, displayName, description }) => ({ value, name: displayName, description }));
  const isListed = model === DEFAULT_VALUE || listed.some(({ value }) => value === model);
  return [
    { value: DEFAULT_VALUE, name: 'Default', description: 'As flags, settings and variables say.' },
    ...(isListed ? [] : [{ value: model, name: model }]),
    ...listed,
  ];
}

/** `yolo` is another word for it. */
export function knownMode(mode: PermissionMode): Exclude<PermissionMode, 'yolo'> {
  return mode === 'yolo' ? 'bypassPermissions' : mode;
}
