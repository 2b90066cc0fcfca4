// Conversations as models take them: repaired, in whole exchanges, with media within limits.
export {
  blocksOf,
  type Exchange,
  findKeepers,
  findRunningThinking,
  groupExchanges,
  type Keeper,
  opensWithThinking,
} from './exchanges.js';
export { mapBlocks, mapMedia, mapStrings, mapTexts } from './map-blocks.js';
export { createMediaInspector, type MediaInspector, mediaStub } from './media.js';
export { createHistoryRepairer, type HistoryRepairer } from './repair-history.js';
