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
export { mapBlocks, mapMedia } from './map-blocks.js';
export { mapStrings, mapTexts } from './map-texts.js';
export { createMediaInspector, type MediaInspector } from './media/media-facts.js';
export { mediaStub } from './media/media-stub.js';
export { createHistoryRepairer, type HistoryRepairer } from './repair-history.js';
