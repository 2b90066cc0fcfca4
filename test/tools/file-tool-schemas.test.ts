// The input schemas of the file tools: the same inputs as their types say, and closed to anything else.
import { Validator } from '@cfworker/json-schema';
import type { FromSchema } from 'json-schema-to-ts';
import { describe, expect, it } from 'vitest';
import type {
  FileEditInput,
  FileReadInput,
  FileWriteInput,
  NotebookEditInput,
  TodoWriteInput,
} from '../../src/protocol/tool-io.js';
import {
  editInputSchema,
  editTool,
  readInputSchema,
  readTool,
  writeInputSchema,
  writeTool,
} from '../../src/tools/files.js';
import { notebookEditInputSchema, notebookEditTool } from '../../src/tools/notebook-edit.js';
import { todoWriteAcceptedInput, todoWriteTool } from '../../src/tools/todo-write.js';

type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? true : false) : false;

// Checked by the compiler: each is `true` only where schema and type accept the same inputs.
const SAME_AS_TYPE: readonly true[] = [
  true satisfies Same<FromSchema<typeof readInputSchema>, FileReadInput>,
  true satisfies Same<FromSchema<typeof editInputSchema>, FileEditInput>,
  true satisfies Same<FromSchema<typeof writeInputSchema>, FileWriteInput>,
  true satisfies Same<FromSchema<typeof notebookEditInputSchema>, NotebookEditInput>,
  true satisfies Same<FromSchema<typeof todoWriteAcceptedInput>, TodoWriteInput>,
];

const TABLE = [
  { tool: readTool, schema: readInputSchema, good: { file_path: 'a', offset: 1, limit: 5, pages: '1' } },
  {
    tool: editTool,
    schema: editInputSchema,
    good: { file_path: 'a', old_string: '', new_string: 'b', replace_all: true },
  },
  { tool: writeTool, schema: writeInputSchema, good: { file_path: 'a', content: '' } },
  {
    tool: notebookEditTool,
    schema: notebookEditInputSchema,
    good: { notebook_path: 'a', cell_id: 'b', cell_type: 'code', new_source: '', edit_mode: 'insert' },
  },
  {
    tool: todoWriteTool,
    schema: todoWriteAcceptedInput,
    good: { todos: [{ id: '1', content: 'a', status: 'pending', activeForm: 'b', priority: 'low' }] },
  },
] as const;

describe.each(TABLE)('$tool.name', ({ tool, schema, good }) => {
  const validator = new Validator({ ...schema } as object, '2020-12', false);

  it('accepts its input and refuses unknown and missing fields', () => {
    expect(SAME_AS_TYPE).not.toContain(false);
    expect(validator.validate(good).valid).toBe(true);
    expect(validator.validate({ ...good, surprise: 1 }).valid).toBe(false);
    for (const field of schema.required) {
      const { [field]: _, ...rest } = good as Record<string, unknown>;
      expect(validator.validate(rest).valid).toBe(false);
    }
  });

  it('describes every field, and itself', () => {
    for (const property of Object.values(tool.inputSchema.properties as object)) {
      expect((property as { description: string }).description.length).toBeGreaterThan(10);
    }
    expect(tool.acceptedInput ?? tool.inputSchema).toBe(schema);
    expect(tool.description.length).toBeGreaterThan(100);
  });
});

describe('limits of the schemas', () => {
  it.each([
    [readInputSchema, { file_path: 'a', offset: 0 }],
    [readInputSchema, { file_path: 'a', limit: 1.5 }],
    [readInputSchema, { file_path: '' }],
    [notebookEditInputSchema, { notebook_path: 'a', new_source: '', cell_type: 'raw' }],
    [notebookEditInputSchema, { notebook_path: 'a', new_source: '', edit_mode: 'move' }],
    [todoWriteAcceptedInput, { todos: [{ content: 'a', status: 'done' }] }],
    [todoWriteAcceptedInput, { todos: [{ content: '', status: 'pending' }] }],
  ])('%#', (schema, bad) => {
    expect(new Validator({ ...schema } as object, '2020-12', false).validate(bad).valid).toBe(false);
  });
});
