// The schema a model is told and the type a tool is written against must not drift apart: this file stops compiling
// when they do.
import type { FromSchema } from 'json-schema-to-ts';
import { describe, expect, it } from 'vitest';
import type {
  BashInput,
  EnterWorktreeInput,
  ExitWorktreeInput,
  GlobInput,
  GrepInput,
  RunScriptInput,
  TaskCreateInput,
  TaskGetInput,
  TaskListInput,
  TaskUpdateInput,
  ToolSearchInput,
  WebSearchInput,
} from '../../src/protocol/tool-io.js';
import { bashInputSchema } from '../../src/tools/bash.js';
import { runScriptInputSchema } from '../../src/tools/run-script.js';
import { globInputSchema, grepInputSchema } from '../../src/tools/search.js';
import type {
  taskCreateInputSchema,
  taskGetInputSchema,
  taskListInputSchema,
  taskUpdateInputSchema,
} from '../../src/tools/task-list.js';
import type { toolSearchInputSchema } from '../../src/tools/tool-search.js';
import type { WebFetchCall } from '../../src/tools/web-fetch/answer-from-page.js';
import { webFetchInputSchema } from '../../src/tools/web-fetch.js';
import { webSearchInputSchema } from '../../src/tools/web-search.js';
import type { enterWorktreeInputSchema, exitWorktreeInputSchema } from '../../src/tools/worktree.js';

/** True only where each type can stand for the other and both have the same fields, optional ones included. */
type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? true : never) : never;

const bash: Same<FromSchema<typeof bashInputSchema>, BashInput> = true;
const enter: Same<FromSchema<typeof enterWorktreeInputSchema>, EnterWorktreeInput> = true;
const exit: Same<FromSchema<typeof exitWorktreeInputSchema>, ExitWorktreeInput> = true;
const glob: Same<FromSchema<typeof globInputSchema>, GlobInput> = true;
const grep: Same<FromSchema<typeof grepInputSchema>, GrepInput> = true;
const webFetch: Same<FromSchema<typeof webFetchInputSchema>, WebFetchCall> = true;
const webSearch: Same<FromSchema<typeof webSearchInputSchema>, WebSearchInput> = true;
const runScript: Same<FromSchema<typeof runScriptInputSchema>, RunScriptInput> = true;
const toolSearch: Same<FromSchema<typeof toolSearchInputSchema>, ToolSearchInput> = true;
const taskCreate: Same<FromSchema<typeof taskCreateInputSchema>, TaskCreateInput> = true;
const taskGet: Same<FromSchema<typeof taskGetInputSchema>, TaskGetInput> = true;
const taskUpdate: Same<FromSchema<typeof taskUpdateInputSchema>, TaskUpdateInput> = true;
const taskList: Same<FromSchema<typeof taskListInputSchema>, TaskListInput> = true;
// @ts-expect-error a schema of another tool is not the same type
const wrong: Same<FromSchema<typeof globInputSchema>, GrepInput> = true;

describe('input schemas', () => {
  it('are the types of the protocol', () => {
    const all = [bash, enter, exit, glob, grep, webFetch, webSearch, runScript, toolSearch];
    const list = [taskCreate, taskGet, taskUpdate, taskList];
    expect([...all, ...list, wrong]).toEqual(new Array(14).fill(true));
  });

  it.each([
    bashInputSchema,
    globInputSchema,
    grepInputSchema,
    webFetchInputSchema,
    webSearchInputSchema,
    runScriptInputSchema,
  ])('describe every field and allow no others', (schema) => {
    expect(schema.additionalProperties).toBe(false);
    for (const field of Object.values(schema.properties)) expect(field.description.length).toBeGreaterThan(10);
  });
});
