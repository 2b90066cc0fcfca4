// Inputs of the built-in tools have the fields of spec 004. Types only: the type check is the test.
import { describe, expectTypeOf, it } from 'vitest';
import type {
  AgentInput,
  AskUserQuestionInput,
  BashInput,
  ConfigInput,
  EnterWorktreeInput,
  ExitPlanModeInput,
  ExitWorktreeInput,
  FileEditInput,
  FileReadInput,
  FileWriteInput,
  GlobInput,
  GrepInput,
  ListMcpResourcesInput,
  McpInput,
  NotebookEditInput,
  ReadMcpResourceInput,
  TaskOutputInput,
  TaskStopInput,
  TodoWriteInput,
  ToolInputSchemas,
  WebFetchInput,
  WebSearchInput,
} from '../../src/index.js';
import type { SameShape, Takes } from './type-shape.js';

describe('tool input types', () => {
  it('AgentInput', () => {
    expectTypeOf<
      Takes<
        AgentInput,
        {
          prompt: string;
          agent?: string;
          timeout_ms?: number;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('BashInput', () => {
    expectTypeOf<
      SameShape<
        BashInput,
        {
          command: string;
          timeout?: number;
          description?: string;
          run_in_background?: boolean;
          dangerouslyDisableSandbox?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('FileReadInput', () => {
    expectTypeOf<
      SameShape<
        FileReadInput,
        {
          file_path: string;
          offset?: number;
          limit?: number;
          pages?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('FileEditInput', () => {
    expectTypeOf<
      SameShape<
        FileEditInput,
        {
          file_path: string;
          old_string: string;
          new_string: string;
          replace_all?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('FileWriteInput', () => {
    expectTypeOf<
      SameShape<
        FileWriteInput,
        {
          file_path: string;
          content: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('GlobInput', () => {
    expectTypeOf<
      SameShape<
        GlobInput,
        {
          pattern: string;
          path?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('GrepInput', () => {
    expectTypeOf<
      SameShape<
        GrepInput,
        {
          pattern: string;
          path?: string;
          glob?: string;
          type?: string;
          output_mode?: 'content' | 'files_with_matches' | 'count';
          head_limit?: number;
          offset?: number;
          context?: number;
          '-A'?: number;
          '-B'?: number;
          '-C'?: number;
          '-i'?: boolean;
          '-n'?: boolean;
          multiline?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('WebFetchInput', () => {
    expectTypeOf<
      SameShape<
        WebFetchInput,
        {
          url: string;
          prompt: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('WebSearchInput', () => {
    expectTypeOf<
      SameShape<
        WebSearchInput,
        {
          query: string;
          allowed_domains?: string[];
          blocked_domains?: string[];
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('AskUserQuestionInput', () => {
    expectTypeOf<
      SameShape<
        AskUserQuestionInput,
        {
          question: string;
          options?: string[];
          default?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('NotebookEditInput', () => {
    expectTypeOf<
      SameShape<
        NotebookEditInput,
        {
          notebook_path: string;
          cell_id?: string;
          cell_type?: 'code' | 'markdown';
          new_source: string;
          edit_mode?: 'replace' | 'insert' | 'delete';
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('TaskOutputInput', () => {
    expectTypeOf<
      Takes<
        TaskOutputInput,
        {
          task_id: string;
          output: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('TaskStopInput', () => {
    expectTypeOf<
      SameShape<
        TaskStopInput,
        {
          task_id: string;
          reason?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ExitPlanModeInput', () => {
    expectTypeOf<
      SameShape<
        ExitPlanModeInput,
        {
          confirm?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ConfigInput', () => {
    expectTypeOf<
      SameShape<
        ConfigInput,
        {
          action: 'get' | 'set' | 'list';
          key?: string;
          value?: unknown;
          scope?: 'user' | 'project' | 'local';
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('EnterWorktreeInput', () => {
    expectTypeOf<
      SameShape<
        EnterWorktreeInput,
        {
          name?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ExitWorktreeInput', () => {
    expectTypeOf<
      SameShape<
        ExitWorktreeInput,
        {
          action: 'keep' | 'remove';
          discard_changes?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('TodoWriteInput', () => {
    expectTypeOf<
      SameShape<
        TodoWriteInput,
        {
          todos: Array<{
            id?: string;
            content: string;
            status: 'pending' | 'in_progress' | 'completed';
            priority?: 'low' | 'medium' | 'high';
          }>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ListMcpResourcesInput', () => {
    expectTypeOf<
      SameShape<
        ListMcpResourcesInput,
        {
          server_name: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ReadMcpResourceInput', () => {
    expectTypeOf<
      SameShape<
        ReadMcpResourceInput,
        {
          server_name: string;
          uri: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('McpInput', () => {
    expectTypeOf<
      SameShape<
        McpInput,
        {
          server_name: string;
          tool_name: string;
          arguments?: Record<string, unknown>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ToolInputSchemas', () => {
    expectTypeOf<
      SameShape<
        ToolInputSchemas,
        | AgentInput
        | BashInput
        | FileReadInput
        | FileEditInput
        | FileWriteInput
        | GlobInput
        | GrepInput
        | WebFetchInput
        | WebSearchInput
        | AskUserQuestionInput
        | NotebookEditInput
        | TaskOutputInput
        | TaskStopInput
        | ExitPlanModeInput
        | ConfigInput
        | EnterWorktreeInput
        | ExitWorktreeInput
        | TodoWriteInput
        | ListMcpResourcesInput
        | ReadMcpResourceInput
        | McpInput
      >
    >().toEqualTypeOf<true>();
  });
});
