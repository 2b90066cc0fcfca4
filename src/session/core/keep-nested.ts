// Calls that a call makes, such as those of a script: kept in a file beside the transcript, as those of a subagent are, and
// shown below the call that makes them. They are no part of the conversation. Loaded with the first of them.
import path from 'node:path';
import type { MessageDraft, NestedMessage } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import type { SDKMessage } from '../../protocol/messages.js';
import type { Message } from '../messages/index.js';
import { nestedCallsId, type Transcript } from '../store/index.js';
import type { Runtime, Session } from './session.js';

type Shown = Extract<MessageDraft, { type: 'assistant' | 'user' }>;

/** @param toMessage what the transcript has of a draft */
export async function keepNested(
  session: Session,
  runtime: Runtime,
  { of, tool, message: draft, syncs }: NestedMessage,
  toMessage: (draft: Shown, host: Host) => Message,
): Promise<readonly SDKMessage[]> {
  session.memory.nested ??= new Map();
  const known = session.memory.nested.get(of);
  if (draft === null) {
    session.memory.nested.delete(of);
    await known?.close();
    return notices(session, known);
  }
  const transcript = known ?? open(session, runtime, of);
  const message = toMessage(draft, session.host);
  await transcript.record(message);
  if (syncs) await transcript.sync();
  if (known === undefined) await writeMeta(session, runtime, transcript, { of, tool });
  const shown = { ...session.stamp(draft, message.uuid), parent_tool_use_id: of } as SDKMessage;
  return [...notices(session, transcript), shown];
}

function notices(session: Session, transcript: Transcript | undefined): readonly SDKMessage[] {
  return transcript?.takeDrafts().map((draft) => session.stamp(draft)) ?? [];
}

function open(session: Session, runtime: Runtime, of: string): Transcript {
  const transcript = runtime.transcript.forAgent(
    nestedCallsId(of),
    path.join(runtime.sessionFolder ?? '', 'subagents'),
  );
  session.memory.nested?.set(of, transcript);
  return transcript;
}

/** Beside it: which call it belongs to. */
async function writeMeta(
  { host }: Session,
  { loop }: Runtime,
  { path: file }: Transcript,
  { of, tool }: Pick<NestedMessage, 'of' | 'tool'>,
): Promise<void> {
  if (file === null) return;
  const meta = { agentType: tool, description: `Calls of ${tool}`, toolUseId: of };
  try {
    const target = path.join(path.dirname(file), `${path.basename(file, '.jsonl')}.meta.json`);
    await host.fs.writeFileAtomic(target, `${JSON.stringify(meta)}\n`, { mode: 0o600 });
  } catch (error) {
    // The transcript beside it fails the same way, and tells it.
    loop.log('nested_meta_failed', { error });
  }
}
