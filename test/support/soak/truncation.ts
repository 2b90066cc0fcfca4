// A reply of three blocks, cut at every place. One rule: what was cut never runs, and the prompt ends well or says why.
import { expect } from 'vitest';
import { collect, lastResult, type textOf } from '../../../src/testing/model/collect.js';
import {
  type ScriptedAnswer,
  type ScriptedBlock,
  text,
  thinking,
  toolCall,
} from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { probeTool } from '../engine.js';
import { bareEngine } from './bare-engine.js';

const SAID = 'I will write the file now 😀.';
const THOUGHT = 'The user wants a file.';
const INPUT = { value: 'rm -rf "build" \\ 测试 and more' };
const JSON_INPUT = JSON.stringify(INPUT);
const MAX_RECOVERIES = 3;

export interface Truncations {
  /** Prompts with a cut reply. */
  readonly cuts: number;
  /** Calls that ran although their reply was cut. */
  executions: number;
  /** Requests after the first cut of a reply until it was given up, at most. */
  recoveries: number;
}

/** The reply cut by the output limit at each `step`-th place; once, and again and again. */
export async function checkOutputLimit(step: number): Promise<Truncations> {
  const totals = { cuts: 0, executions: 0, recoveries: 0 };
  for (const cut of cutReplies(step)) {
    for (const isStubborn of [false, true]) {
      const probe = probeTool();
      const model = scriptedModel((_request, index) =>
        isStubborn || index === 0 ? renamed(cut, index) : text('done'),
      );
      const engine = bareEngine(model, { tools: [probe], thinkingConfig: { type: 'disabled' } });
      const messages = await collect(engine.submitMessage('go'));
      const result = lastResult(messages);
      await engine.close();
      totals.cuts++;
      totals.executions += probe.runs.length;
      expect(probe.runs).toEqual([]);
      expect(model.violations).toEqual([]);
      totals.recoveries = Math.max(totals.recoveries, model.calls - 1);
      expect(model.calls - 1).toBeLessThanOrEqual(MAX_RECOVERIES);
      const partial = cut.map((block) => (block.type === 'text' ? block.text : '')).join('');
      if (isStubborn) {
        expect(result).toMatchObject({ is_error: true, terminal_reason: 'max_output_tokens' });
        expect(result.result).toContain(partial);
      } else {
        // What was cut goes on; only a call begins anew.
        const began = cut.some(({ type }) => type === 'tool_use') ? '' : partial;
        expect(result).toMatchObject({ subtype: 'success', result: `${began}done` });
      }
    }
  }
  return totals;
}

/** The three blocks, in both orders that models give them in, cut in each of them. */
function cutReplies(step: number): ScriptedBlock[][] {
  const thought = thinking(THOUGHT, 'signed');
  const cuts: ScriptedBlock[][] = [];
  for (const before of [
    [text(SAID), thought],
    [thought, text(SAID)],
  ]) {
    // The last place is behind the last sign: whole to look at, but the limit may have cut it all the same.
    for (let at = 0; at <= JSON_INPUT.length; at += step)
      cuts.push([...before, { ...toolCall('Probe'), rawInput: JSON_INPUT.slice(0, at) }]);
  }
  for (let at = 1; at <= SAID.length; at += step) {
    cuts.push([text(SAID.slice(0, at))]);
    cuts.push([thought, text(SAID.slice(0, at))]);
  }
  for (let at = 0; at <= THOUGHT.length; at += step) cuts.push([{ type: 'thinking', thinking: THOUGHT.slice(0, at) }]);
  return cuts;
}

/** The scripted model gives ids by itself; each reply needs blocks of its own. */
function renamed(blocks: readonly ScriptedBlock[], index: number): ScriptedAnswer {
  return {
    blocks: blocks.map((block) => (block.type === 'tool_use' ? { ...block, id: `toolu_cut_${index}` } : block)),
    stopReason: 'max_tokens',
  };
}

/** The stream breaks after each event in turn. `reads`: the call may start before its reply is whole. */
export async function checkStreamCuts(reads: boolean): Promise<Truncations> {
  const totals = { cuts: 0, executions: 0, recoveries: 0 };
  const blocks = [thinking(THOUGHT, 'signed'), text(SAID), toolCall('Probe', INPUT)];
  for (let events = 0; ; events++) {
    let ran = 0;
    let ranInCut = 0;
    let calls = 0;
    const probe = probeTool({
      readOnly: reads,
      concurrencySafe: reads,
      run: async () => {
        if (calls === 1) ranInCut++;
        return `run ${++ran}`;
      },
    });
    const whole = { blocks };
    const model = scriptedModel(
      (_request, index) => {
        calls = index + 1;
        return index === 0 ? { ...whole, cutAfterEvents: events } : index === 1 ? whole : text('done');
      },
      { chunkSize: 3 },
    );
    const permissions = { mode: 'default', allow: [], deny: [], ask: [], roots: ['/project'] } as const;
    const engine = bareEngine(model, { tools: [probe], ...(reads ? { permissions } : {}) });
    const messages = await collect(engine.submitMessage('go'));
    await engine.close();
    expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'done' });
    expect(model.violations).toEqual([]);
    const results = messages.filter((message) => message.type === 'user');
    expect(results).toHaveLength(1);
    totals.cuts++;
    totals.executions += reads ? 0 : ranInCut;
    if (reads) {
      // What only reads may have begun with its block; its result is never seen.
      expect(ran - ranInCut).toBe(1);
      expect(textOfResult(results[0])).toBe(`run ${ran}`);
    } else {
      expect({ events, ranInCut, ran }).toEqual({ events, ranInCut: 0, ran: 1 });
    }
    totals.recoveries = Math.max(totals.recoveries, model.calls - 2);
    if (events >= EVENTS_OF_THREE_BLOCKS) return totals;
  }
}

/** More than the reply has, so that the last cut comes after `message_stop`. */
const EVENTS_OF_THREE_BLOCKS = 50;

function textOfResult(message: Parameters<typeof textOf>[0] | undefined): unknown {
  if (message?.type !== 'user' || typeof message.message.content === 'string') return undefined;
  const block = message.message.content[0];
  return block?.type === 'tool_result' ? block.content : undefined;
}
