// Options about how much a prompt and a session may use.
import type { OptionDeclarations } from '../declaration.js';

export const LIMITS = {
  maxTurns: {
    kind: 'number',
    about: 'The prompt ends after so many replies of the model.',
    default: 'no limit',
    value: 'count',
    setting: 'budgets.maxTurns',
    flags: [{ takes: '<n>', reads: 'count', does: 'stop after n replies of the model' }],
    acts: 'session',
  },
  maxBudgetUsd: {
    kind: 'number',
    about:
      'US dollars that the session may cost. Checked before money is spent, so it needs models with a known price.',
    default: 'no limit',
    value: 'amount',
    setting: 'budgets.maxBudgetUsd',
    flags: [{ takes: '<amount>', reads: 'amount', does: 'stop before more US dollars are spent' }],
    acts: 'session',
  },
  budget: {
    kind: 'object',
    type: 'Budget',
    own: true,
    about: 'A budget shared with other sessions, made by `createBudget`; `maxBudgetUsd` is a part of it.',
    acts: 'session',
    typed: true,
  },
  taskBudget: {
    kind: 'object',
    type: '{ readonly total: number }',
    about: 'Tokens of one prompt, input and output. Then the model sums up, and the prompt is a success.',
    default: 'no limit',
    setting: 'budgets.taskTokens',
    flags: [{ takes: '<tokens>', reads: 'own', does: 'the model wraps up after so many tokens' }],
    acts: 'session',
  },
  backgroundAfterMs: {
    kind: 'number',
    own: true,
    about: 'A command of Bash that runs for so many milliseconds goes on in the background, and the model with it.',
    default: 'only where somebody moves it there',
    value: 'count',
    acts: 'session',
  },
  backgroundOnTimeout: {
    kind: 'flag',
    own: true,
    about: 'A command of Bash that reaches its timeout goes on in the background instead of being stopped.',
    default: 'false',
    acts: 'session',
  },
  limits: {
    kind: 'object',
    type: 'Partial<EngineLimits>',
    about: 'Retries, waits and sizes.',
    setting: 'retry',
    acts: 'session',
    see: 'reference/limits.md',
  },
  autoCompact: {
    kind: 'flag',
    own: true,
    about: 'False: the conversation is compacted only by `/compact` or when the model refuses its length.',
    default: 'true',
    setting: 'autoCompact',
    acts: 'session',
  },
  goalMaxTurns: {
    kind: 'number',
    about: 'Replies that a goal may take which is set in this session.',
    idle: 'always',
  },
} as const satisfies OptionDeclarations;
