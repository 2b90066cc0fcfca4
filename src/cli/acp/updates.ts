// What happens in a session, as updates of the protocol: texts, calls of tools, plans, usage. The same for a prompt that
// runs and for an earlier session that is shown again. One rule: every call that was announced is ended.
import type {
  ClientCapabilities,
  ContentChunk,
  PlanEntry,
  SessionUpdate,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { ContentBlock, ToolResultBlock } from '../../protocol/content.js';
import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
} from '../../protocol/messages.js';
import type { SessionMessage } from '../../protocol/session-store.js';
import type { SDKNoticeMessage, SDKSystemEventMessage } from '../../protocol/system-messages.js';
import { isRecord } from '../../util/json.js';
import { afterTaskCall, type ListedTask } from '../../view/task-list.js';
import {
  type CallFacts,
  contentOfCall,
  contentOfResult,
  kindOf,
  locationsOf,
  rawJson,
  shownPrompt,
  titleOf,
} from './content.js';

export interface Updates {
  /** A message of the session. */
  live(message: SDKMessage): void;
  /** Messages of an earlier session, oldest first. */
  replay(messages: readonly SessionMessage[]): void;
  /** The whole of a call, for a question about it; announces it if that was not done yet. */
  describeCall(call: CallFacts): ToolCallUpdate;
  /** The user said yes. */
  callStarts(id: string): void;
  /** What a file holds that a call replaces. Kept until the call has ended. */
  holdsBefore(callId: string, text: string | null): void;
  /** The prompt is over: whatever did not end by itself has failed. */
  endPrompt(): void;
}

export interface UpdatesOptions {
  readonly cwd: string;
  readonly client: ClientCapabilities;
  readonly send: (update: SessionUpdate) => void;
  /** What the client has no way to show. */
  readonly log: (line: string) => void;
}

interface KnownCall extends CallFacts {
  isAnnounced: boolean;
  /** Its input is whole. */
  isWhole: boolean;
  readonly parent: string | null;
  oldText: string | null;
}

/** Shown as a plan, not as a call. */
const PLAN_TOOL = 'TodoWrite';

export function createUpdates({ cwd, client, send, log }: UpdatesOptions): Updates {
  const calls = new Map<string, KnownCall>();
  const chunk = (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk') => (messageId: string, text: string) =>
    send({ sessionUpdate, content: { type: 'text', text }, messageId });
  const texts = createTextFlow(chunk('agent_message_chunk'));
  const thoughts = createTextFlow(chunk('agent_thought_chunk'));
  /** The reply that is being streamed, and the calls it has begun. */
  let streaming: { readonly id: string; readonly calls: string[] } | null = null;
  let contextTokens = 0;
  let tasks: readonly ListedTask[] = [];
  let lastText = '';
  /** `isOver`: nothing was said yet of what came of it. */
  let compaction: { readonly id: string; isOver: boolean } | null = null;

  function learn(call: CallFacts, parent: string | null, isWhole: boolean): KnownCall {
    const known = calls.get(call.id);
    const next: KnownCall = {
      ...call,
      parent,
      isWhole,
      isAnnounced: known?.isAnnounced ?? false,
      oldText: known?.oldText ?? null,
    };
    calls.set(call.id, next);
    return next;
  }

  function fieldsOf(call: KnownCall) {
    return {
      toolCallId: call.id,
      title: call.isWhole ? titleOf(call, cwd) : call.name,
      name: call.name,
      kind: kindOf(call.name),
      ...(call.isWhole
        ? {
            rawInput: rawJson(call.input),
            locations: locationsOf(call, cwd),
            content: contentOfCall(call, cwd, call.oldText),
          }
        : {}),
      ...(call.parent === null ? {} : { _meta: { turnwright: { parentToolCallId: call.parent } } }),
    };
  }

  function announce(call: KnownCall, status: 'pending' | 'in_progress'): void {
    const fields = { status, ...fieldsOf(call) };
    if (call.isAnnounced) send({ sessionUpdate: 'tool_call_update', ...fields });
    else send({ sessionUpdate: 'tool_call', ...fields });
    call.isAnnounced = true;
  }

  function fail(call: KnownCall): void {
    calls.delete(call.id);
    if (call.isAnnounced) send({ sessionUpdate: 'tool_call_update', toolCallId: call.id, status: 'failed' });
  }

  function stream({ event, parent_tool_use_id: parent }: SDKPartialAssistantMessage): void {
    if (parent !== null) return;
    if (event.type === 'message_start') streaming = { id: event.message.id, calls: [] };
    if (streaming === null) return;
    if (event.type === 'content_block_start') {
      const { content_block: block } = event;
      if (block.type === 'text') texts.delta(streaming.id, block.text);
      if (block.type === 'thinking') thoughts.delta(streaming.id, block.thinking);
      if (block.type === 'tool_use' && block.name !== PLAN_TOOL && !calls.has(block.id)) {
        streaming.calls.push(block.id);
        announce(learn({ id: block.id, name: block.name, input: {} }, null, false), 'pending');
      }
    }
    if (event.type === 'content_block_delta') {
      const { delta } = event;
      if (delta.type === 'text_delta') texts.delta(streaming.id, delta.text);
      if (delta.type === 'thinking_delta') thoughts.delta(streaming.id, delta.thinking);
    }
  }

  function reply(message: SDKAssistantMessage['message'], parent: string | null, id: string): void {
    if (parent === null) {
      contextTokens = tokensOf(message.usage) || contextTokens;
      thoughts.whole(id, joined(message.content, 'thinking'));
      lastText = joined(message.content, 'text');
      texts.whole(id, lastText);
      streaming = null;
    }
    for (const block of message.content) {
      if (block.type !== 'tool_use') continue;
      const call = learn({ id: block.id, name: block.name, input: block.input }, parent, true);
      if (block.name !== PLAN_TOOL) announce(call, 'in_progress');
    }
  }

  function results(content: unknown, output: unknown): void {
    if (!Array.isArray(content)) return;
    const blocks = (content as ContentBlock[]).filter((block) => block.type === 'tool_result');
    for (const block of blocks) result(block, blocks.length === 1 ? output : undefined);
  }

  function result(block: ToolResultBlock, output: unknown): void {
    const call = calls.get(block.tool_use_id);
    if (call === undefined) return;
    const isError = block.is_error === true;
    if (call.name === PLAN_TOOL && !isError) {
      calls.delete(call.id);
      const entries = planOf(output) ?? planOf(call.input);
      if (entries !== null) send({ sessionUpdate: 'plan', entries });
      if (!call.isAnnounced) return;
    }
    if (!isError && call.parent === null) {
      const next = afterTaskCall(tasks, call.name, call.input, output);
      if (next !== tasks) send({ sessionUpdate: 'plan', entries: planOf({ todos: next }) ?? [] });
      tasks = next;
    }
    if (!call.isAnnounced) announce(call, 'in_progress');
    calls.delete(call.id);
    const shown = contentOfResult(call, block, output, cwd);
    send({
      sessionUpdate: 'tool_call_update',
      toolCallId: call.id,
      status: isError ? 'failed' : 'completed',
      ...(shown === null ? {} : { content: shown }),
      rawOutput: rawJson(output ?? block.content),
    });
  }

  function usage({ modelUsage, total_cost_usd: amount, cost_unknown: isUnknown }: SDKResultMessage): void {
    const sizes = Object.values(modelUsage).flatMap(({ contextWindow }) => contextWindow ?? []);
    const size = sizes[0];
    if (size === undefined || contextTokens === 0) return;
    const cost = isUnknown === true ? {} : { cost: { amount, currency: 'USD' } };
    send({ sessionUpdate: 'usage_update', used: contextTokens, size, ...cost });
  }

  function tell(severity: 'info' | 'warning', title: string, description?: string): void {
    const more = description === undefined ? {} : { description };
    if (client.session?.notices == null) log([`${severity}: ${title}`, description].join(' ').trimEnd());
    else send({ sessionUpdate: 'notice', severity, title, ...more });
  }

  function compacting(status: 'in_progress' | 'completed' | 'failed', id: string, summary?: string): void {
    if (client.session?.compaction == null) {
      if (status === 'completed') log('info: the conversation was compacted.');
      return;
    }
    const said = summary === undefined ? {} : { summary: [{ type: 'text' as const, text: summary }] };
    send({ sessionUpdate: 'compaction_update', compactionId: id, status, ...said });
  }

  function failCompaction(): void {
    if (compaction !== null) compacting('failed', compaction.id);
    compaction = null;
  }

  function system(message: SDKSystemEventMessage): void {
    switch (message.subtype) {
      case 'stream_reset':
        texts.withdraw(message.message_id);
        thoughts.withdraw(message.message_id);
        if (streaming?.id === message.message_id) {
          for (const id of streaming.calls) {
            const call = calls.get(id);
            if (call !== undefined) fail(call);
          }
          streaming = null;
        }
        break;
      case 'status':
        if (message.agent_id !== undefined) break;
        if (message.status === 'compacting') {
          compaction = { id: message.uuid, isOver: false };
          compacting('in_progress', compaction.id);
        } else if (compaction !== null) compaction.isOver = true;
        break;
      case 'compact_boundary':
        if (message.agent_id !== undefined) break;
        compacting('completed', compaction?.id ?? message.uuid, message.summary);
        compaction = null;
        break;
      case 'notice':
        notice(message);
        break;
      case 'model_changed':
        tell('info', `${message.to} answers in place of ${message.from}.`, message.reason);
        break;
      case 'api_retry':
        tell(
          'warning',
          `The model did not answer; attempt ${message.attempt} of ${message.max_retries}.`,
          message.message,
        );
        break;
      case 'local_command_output':
        // Most commands answer by a reply too.
        if (message.content !== lastText) texts.whole(message.uuid, message.content);
        break;
    }
  }

  function notice({ level, message, remedy }: SDKNoticeMessage): void {
    tell(level, message, remedy);
  }

  return {
    live(message) {
      if (compaction?.isOver === true && message.type !== 'system') failCompaction();
      switch (message.type) {
        case 'stream_event':
          return stream(message);
        case 'assistant':
          return reply(message.message, message.parent_tool_use_id, message.message.id);
        case 'user':
          return results(message.message.content, message.tool_use_result);
        case 'result':
          return usage(message);
        case 'system':
          if (message.subtype !== 'init') system(message);
      }
    },
    replay(messages) {
      for (const { type, uuid, message, tool_use_result: output } of messages) {
        if (!isRecord(message)) continue;
        const { content } = message;
        if (type === 'assistant' && Array.isArray(content)) {
          // A reply may be stored as several messages.
          reply(message as unknown as SDKAssistantMessage['message'], null, uuid);
        } else if (type === 'user') {
          for (const shown of shownPrompt(content)) {
            const said: ContentChunk = { content: shown, messageId: uuid };
            send({ sessionUpdate: 'user_message_chunk', ...said });
          }
          results(content, output);
        }
      }
      this.endPrompt();
    },
    describeCall(call) {
      const known = calls.get(call.id);
      const described = learn(call, known?.parent ?? null, true);
      announce(described, 'pending');
      return { ...fieldsOf(described), status: 'pending' };
    },
    callStarts(id) {
      if (calls.get(id)?.isAnnounced === true)
        send({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress' });
    },
    holdsBefore(callId, text) {
      const call = calls.get(callId);
      if (call === undefined) {
        calls.set(callId, {
          id: callId,
          name: '',
          input: {},
          parent: null,
          isAnnounced: false,
          isWhole: false,
          oldText: text,
        });
        return;
      }
      call.oldText = text;
      if (call.isAnnounced && call.isWhole)
        send({ sessionUpdate: 'tool_call_update', toolCallId: callId, content: contentOfCall(call, cwd, text) });
    },
    endPrompt() {
      for (const call of [...calls.values()]) fail(call);
      texts.end();
      thoughts.end();
      streaming = null;
      failCompaction();
    },
  };
}

/** What the next request holds of it. Zero for a text that no model wrote. */
function tokensOf(usage: SDKAssistantMessage['message']['usage'] | undefined): number {
  if (usage === undefined) return 0;
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  return input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output_tokens;
}

function joined(content: SDKAssistantMessage['message']['content'], type: 'text' | 'thinking'): string {
  return content
    .map((block) => (block.type === 'text' && type === 'text' ? block.text : ''))
    .concat(content.map((block) => (block.type === 'thinking' && type === 'thinking' ? block.thinking : '')))
    .join('');
}

/** The list that a call of TodoWrite left. */
function planOf(value: unknown): PlanEntry[] | null {
  const todos = isRecord(value) ? value['todos'] : undefined;
  if (!Array.isArray(todos)) return null;
  return todos.filter(isRecord).map(({ content, status, priority }) => ({
    content: String(content),
    status: status === 'in_progress' || status === 'completed' ? status : 'pending',
    priority: priority === 'high' || priority === 'low' ? priority : 'medium',
  }));
}

// Text that a client only ever appends to, out of parts that are streamed and then come again whole. One rule: nothing is
// said twice. What an attempt said that was withdrawn cannot be taken back, so the next attempt goes on as long as its
// text is the same, and else begins a message of its own.

interface TextFlow {
  /** A part of a message that is being streamed. */
  delta(messageId: string, text: string): void;
  /** The message as a whole, streamed or not. */
  whole(messageId: string, text: string): void;
  /** The attempt that streamed this message failed; another one follows. */
  withdraw(messageId: string): void;
  /** Nothing follows any more. */
  end(): void;
}

interface Message {
  readonly id: string;
  /** The message that the client knows it as. */
  as: string;
  text: string;
  /** What a withdrawn attempt showed and this one has not said differently yet. */
  shown: Message | null;
}

export function createTextFlow(emit: (messageId: string, text: string) => void): TextFlow {
  let current: Message | null = null;
  let withdrawn: Message | null = null;

  const messageOf = (id: string): Message => {
    if (current?.id === id) return current;
    current = { id, as: id, text: '', shown: withdrawn };
    withdrawn = null;
    return current;
  };

  const add = (message: Message, text: string): void => {
    const { shown } = message;
    message.text += text;
    if (shown === null) emit(message.as, text);
    else if (!shown.text.startsWith(message.text)) {
      message.shown = null;
      const isSame = message.text.startsWith(shown.text);
      if (isSame) message.as = shown.as;
      emit(message.as, isSame ? message.text.slice(shown.text.length) : message.text);
    }
  };

  return {
    delta(messageId, text) {
      if (text !== '') add(messageOf(messageId), text);
    },
    whole(messageId, text) {
      if (text === '') return;
      const message = messageOf(messageId);
      if (text.startsWith(message.text) && text.length > message.text.length)
        add(message, text.slice(message.text.length));
      // It ended before what the withdrawn attempt had shown.
      if (message.shown !== null && message.shown.text !== message.text) emit(message.id, message.text);
      message.shown = null;
    },
    withdraw(messageId) {
      if (current?.id !== messageId) return;
      const { shown, text } = current;
      // An attempt that only repeated what was shown has shown nothing of its own.
      withdrawn = shown ?? (text === '' ? null : current);
      current = null;
    },
    end() {
      current = null;
      withdrawn = null;
    },
  };
}
