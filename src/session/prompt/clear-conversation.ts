// What `/clear` does: the session goes on as if it had just begun. One rule: what it cost stays counted.
import { countReplaced, type Session, type SessionRuntime } from '../core/index.js';

/** Forgets the conversation, files seen and todos. */
export async function clearConversation(session: Session, runtime: SessionRuntime): Promise<void> {
  const { config, history, memory, sessionId } = session;
  memory.earlier = countReplaced(memory.earlier, history.messages, []);
  history.clear();
  config.readFileCache.clear();
  config.setAppState((previous) => ({ ...previous, todos: [] }));
  await runtime.transcript.startOver();
  if (memory.isStarted && runtime.hooks.has('SessionEnd')) await runtime.hooks.run('SessionEnd', { reason: 'clear' });
  await runtime.hooks.dropAdded();
  memory.isStarted = false;
  memory.wasCleared = true;
  memory.environment = null;
  delete memory.repository;
  memory.instructions = null;
  delete memory.memoryIndex;
  delete memory.skillFolders;
  delete memory.laterInstructions;
  memory.areTasksTold = false;
  memory.isPlaceTold = false;
  // What still runs has read it, and will tell of it.
  if ((runtime.tasks.registry?.running.length ?? 0) === 0) runtime.provenance?.clear();
  runtime.workplace.startIn(runtime.workplace.folder);
  runtime.tell({ type: 'conversation_reset', new_conversation_id: sessionId, trigger: 'clear' });
}
