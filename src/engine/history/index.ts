// Conversations as models take them: repaired, in whole exchanges, with media within limits.

export { createMediaInspector, type MediaInspector, mediaStub } from './media.js';
export { asBlocks, createHistoryRepairer, type HistoryRepairer, isThinking } from './repair-history.js';
export {
  blocksOf,
  type Exchange,
  findKeepers,
  findRunningThinking,
  groupExchanges,
  type Keeper,
  mapBlocks,
  mapMedia,
  mapStrings,
  mapTexts,
  opensWithThinking,
} from './walk-history.js';
