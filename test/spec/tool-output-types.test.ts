// Outputs of the built-in tools have the fields of spec 004. Types only: the type check is the test.
import { describe, expectTypeOf, it } from 'vitest';
import type {
  AgentOutput,
  AskUserQuestionOutput,
  BashOutput,
  ConfigOutput,
  EnterWorktreeOutput,
  ExitPlanModeOutput,
  ExitWorktreeOutput,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GlobOutput,
  GrepOutput,
  ListMcpResourcesOutput,
  McpOutput,
  NotebookEditOutput,
  TaskOutputInput,
  TaskStopOutput,
  TodoWriteOutput,
  ToolOutputSchemas,
  WebFetchOutput,
  WebSearchOutput,
} from '../../src/index.js';
import type { ReadsAs, SameShape, Takes } from './type-shape.js';

describe('tool output types', () => {
  it('AgentOutput', () => {
    expectTypeOf<
      ReadsAs<
        AgentOutput,
        {
          result: string;
          agent?: string;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('BashOutput', () => {
    expectTypeOf<
      ReadsAs<
        BashOutput,
        {
          stdout: string;
          stderr: string;
          exitCode: number;
          interrupted?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('FileReadOutput', () => {
    expectTypeOf<
      SameShape<
        FileReadOutput,
        | {
            type: 'text';
            text: string;
            file_path: string;
            totalLines?: number;
          }
        | {
            type: 'image';
            source: {
              type: 'base64';
              media_type: string;
              data: string;
            };
            file_path: string;
          }
        | {
            type: 'notebook';
            cells: Array<{
              cell_number: number;
              cell_type: 'code' | 'markdown' | 'raw';
              source: string;
              outputs?: string[];
            }>;
            file_path: string;
          }
        | {
            type: 'pdf';
            pages: Array<{
              page_number: number;
              content: string;
            }>;
            file_path: string;
            totalPages: number;
          }
        | {
            type: 'parts';
            parts: Array<
              | { type: 'text'; text: string }
              | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } }
            >;
            file_path: string;
          }
        | {
            type: 'file_unchanged';
            file_path: string;
            message: string;
          }
      >
    >().toEqualTypeOf<true>();
  });

  it('FileEditOutput, beside what is ours', () => {
    expectTypeOf<
      SameShape<
        Omit<FileEditOutput, 'structuredPatch'>,
        {
          success: boolean;
          file_path: string;
          diff?: string;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('FileWriteOutput, beside what is ours', () => {
    expectTypeOf<
      SameShape<
        Omit<FileWriteOutput, 'created' | 'structuredPatch'>,
        {
          success: boolean;
          file_path: string;
          bytesWritten?: number;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('GlobOutput', () => {
    expectTypeOf<
      SameShape<
        GlobOutput,
        {
          files: string[];
          totalMatches: number;
          truncated?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('GrepOutput', () => {
    expectTypeOf<
      SameShape<
        GrepOutput,
        {
          results: string;
          matchCount: number;
          truncated?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('WebFetchOutput', () => {
    expectTypeOf<
      SameShape<
        WebFetchOutput,
        {
          content: string;
          url: string;
          statusCode?: number;
          error?: string;
          redirectUrl?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('WebSearchOutput', () => {
    expectTypeOf<
      SameShape<
        WebSearchOutput,
        {
          results: Array<{
            title: string;
            url: string;
            snippet: string;
          }>;
          query: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('AskUserQuestionOutput', () => {
    expectTypeOf<
      SameShape<
        AskUserQuestionOutput,
        {
          answer: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('NotebookEditOutput', () => {
    expectTypeOf<
      SameShape<
        NotebookEditOutput,
        {
          success: boolean;
          notebook_path: string;
          error?: string;
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

  it('TaskStopOutput', () => {
    expectTypeOf<
      SameShape<
        TaskStopOutput,
        {
          success: boolean;
          task_id: string;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ExitPlanModeOutput, beside what is ours', () => {
    expectTypeOf<
      SameShape<
        Omit<ExitPlanModeOutput, 'plan' | 'filePath' | 'planWasEdited'>,
        {
          success: boolean;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ConfigOutput', () => {
    expectTypeOf<
      SameShape<
        ConfigOutput,
        {
          success: boolean;
          value?: unknown;
          values?: Record<string, unknown>;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('EnterWorktreeOutput', () => {
    expectTypeOf<
      SameShape<
        EnterWorktreeOutput,
        {
          worktree_path: string;
          branch_name: string;
          success: boolean;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ExitWorktreeOutput', () => {
    expectTypeOf<
      SameShape<
        ExitWorktreeOutput,
        {
          success: boolean;
          error?: string;
          uncommitted_files?: string[];
          unmerged_commits?: string[];
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('TodoWriteOutput', () => {
    expectTypeOf<
      SameShape<
        TodoWriteOutput,
        {
          success: boolean;
          todos: Array<{
            id: string;
            content: string;
            status: 'pending' | 'in_progress' | 'completed';
            priority?: 'low' | 'medium' | 'high';
          }>;
          error?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ListMcpResourcesOutput', () => {
    expectTypeOf<
      SameShape<
        ListMcpResourcesOutput,
        {
          resources: Array<{
            uri: string;
            name: string;
            description?: string;
            mimeType?: string;
          }>;
          server_name: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('McpOutput', () => {
    expectTypeOf<
      SameShape<
        McpOutput,
        {
          content: unknown;
          isError?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ToolOutputSchemas', () => {
    expectTypeOf<
      ReadsAs<
        ToolOutputSchemas,
        | AgentOutput
        | BashOutput
        | FileReadOutput
        | FileEditOutput
        | FileWriteOutput
        | GlobOutput
        | GrepOutput
        | WebFetchOutput
        | WebSearchOutput
        | AskUserQuestionOutput
        | NotebookEditOutput
        | TaskStopOutput
        | ExitPlanModeOutput
        | ConfigOutput
        | EnterWorktreeOutput
        | ExitWorktreeOutput
        | TodoWriteOutput
        | ListMcpResourcesOutput
        | McpOutput
      >
    >().toEqualTypeOf<true>();
  });
});
