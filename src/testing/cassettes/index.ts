// Exchanges with models, recorded and played back.

export {
  type CassettePlayer,
  type CassetteRecorder,
  type RecordCassetteOptions,
  type ReplayCassetteOptions,
  recordCassette,
  replayCassette,
} from './cassette.js';
export type { CassetteExchange, CassetteFolders } from './cassette-file.js';
export { type ReplayedTranscript, replayTranscript } from './replay-transcript.js';
