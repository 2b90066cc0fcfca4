// What one tool call needs of the loop, with a signal of its own.
import type { Tools } from '../../tools/tool.js';
import type { LoopDeps } from '../state/index.js';

/** Calls that run at the same time, of one reply. */
export const MAX_CONCURRENT_CALLS = 10;

type FromLoop = Pick<
  LoopDeps,
  | 'toolAliases'
  | 'isUndefined'
  | 'host'
  | 'hooks'
  | 'signal'
  | 'decidePermission'
  | 'decideChanged'
  | 'deferCall'
  | 'toolContext'
  | 'lostPlace'
  | 'gitWatch'
  | 'credentials'
  | 'vault'
  | 'interruptGraceMs'
  | 'spawnAgent'
  | 'approveTools'
  | 'startHooks'
  | 'askModel'
  | 'beforeSideEffect'
  | 'activity'
  | 'validateJson'
  | 'tell'
  | 'log'
>;

export interface CallDeps extends FromLoop {
  /** What the model could call when the call began. */
  readonly tools: Tools;
}

/** A literal: a copy of all that the loop needs takes 25 us, and each call has one. */
export function callDeps(
  deps: FromLoop,
  tools: Tools,
  signal: AbortSignal,
  decidePermission: CallDeps['decidePermission'] = deps.decidePermission,
): CallDeps {
  return {
    tools,
    isUndefined: deps.isUndefined,
    host: deps.host,
    hooks: deps.hooks,
    signal,
    decidePermission,
    decideChanged: deps.decideChanged,
    deferCall: deps.deferCall,
    toolContext: deps.toolContext,
    ...(deps.lostPlace === undefined ? {} : { lostPlace: deps.lostPlace }),
    gitWatch: deps.gitWatch,
    toolAliases: deps.toolAliases,
    credentials: deps.credentials,
    vault: deps.vault,
    interruptGraceMs: deps.interruptGraceMs,
    spawnAgent: deps.spawnAgent,
    approveTools: deps.approveTools,
    startHooks: deps.startHooks,
    askModel: deps.askModel,
    beforeSideEffect: deps.beforeSideEffect,
    activity: deps.activity,
    validateJson: deps.validateJson,
    tell: deps.tell,
    log: deps.log,
  };
}
