// The first stages of a prompt that begins with decisions about calls that wait. One rule: the rules of the moment decide,
// also those that settings have by now.
import { errorText } from '../../../util/text.js';
import { logTo } from '../../config/index.js';
import type { Session, SessionRuntime } from '../../core/index.js';
import {
  beginPrompt,
  configureRequests,
  openRuntime,
  type Prepared,
  startSession,
  tellInstructions,
} from '../prepare-prompt.js';

/** As `preparePrompt`, if no message of the user begins it. Contract: never throws. */
export async function prepareDecisions(session: Session, signal: AbortSignal): Promise<Prepared> {
  let runtime: SessionRuntime | null = null;
  try {
    runtime = await openRuntime(session, signal);
    if (runtime === null) return { kind: 'failed', runtime, error: 'Aborted' };
    const notices = await beginPrompt(session, runtime, signal);
    await runtime.transcript.open();
    await runtime.gate.approveForPrompt([]);
    const ownModel = session.memory.settings?.model ?? runtime.model;
    const model = session.modelOverride(ownModel);
    const isStarting = !session.memory.isStarted;
    const texts = await startSession(session, runtime, model);
    await configureRequests(session, runtime);
    if (isStarting) await tellInstructions(session, runtime);
    const input = { shouldQuery: true, compaction: null, resultText: null, model: null };
    return { kind: 'ready', runtime, input, message: null, texts, model, ownModel, notices, stoppedByHook: null };
  } catch (error) {
    logTo(session.config, 'prompt_setup_failed', { error });
    return { kind: 'failed', runtime, error: errorText(error) };
  }
}
