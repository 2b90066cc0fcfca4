// Inputs and output of hooks have the fields of spec 004. Types only: the type check is the test.
import { describe, expectTypeOf, it } from 'vitest';
import type {
  BaseHookInput,
  CwdChangedHookInput,
  FileChangedHookInput,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
  InstructionsLoadedHookInput,
  PermissionRequestHookInput,
  PermissionUpdate,
  PostCompactHookInput,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreCompactHookInput,
  PreToolUseHookInput,
  SessionEndHookInput,
  SessionStartHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  UserPromptSubmitHookInput,
} from '../../src/index.js';
import type { ReadsAs, SameShape, Takes } from './type-shape.js';

describe('hook types', () => {
  it('HookEvent', () => {
    expectTypeOf<
      Takes<
        HookEvent,
        | 'PreToolUse'
        | 'PostToolUse'
        | 'PostToolUseFailure'
        | 'UserPromptSubmit'
        | 'SessionStart'
        | 'SessionEnd'
        | 'Stop'
        | 'SubagentStart'
        | 'SubagentStop'
        | 'PreCompact'
        | 'PostCompact'
        | 'CwdChanged'
        | 'InstructionsLoaded'
        | 'FileChanged'
        | 'PermissionRequest'
      >
    >().toEqualTypeOf<true>();
  });

  it('HookCallback', () => {
    expectTypeOf<
      SameShape<
        HookCallback,
        (input: HookInput, toolUseID: string | undefined, options: { signal: AbortSignal }) => Promise<HookJSONOutput>
      >
    >().toEqualTypeOf<true>();
  });

  it('HookCallbackMatcher', () => {
    expectTypeOf<
      Takes<
        HookCallbackMatcher,
        {
          matcher?: string;
          hooks: HookCallback[];
          timeout?: number;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('BaseHookInput', () => {
    expectTypeOf<
      ReadsAs<
        BaseHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('HookJSONOutput', () => {
    expectTypeOf<
      ReadsAs<
        HookJSONOutput,
        {
          continue?: boolean;
          stopReason?: string;
          decision?: string;
          reason?: string;
          hookSpecificOutput?: object;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('PreToolUseHookInput', () => {
    expectTypeOf<
      ReadsAs<
        PreToolUseHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'PreToolUse';
          permission_mode: string | undefined;
          tool_name: string;
          tool_input: unknown;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('PostToolUseHookInput', () => {
    expectTypeOf<
      ReadsAs<
        PostToolUseHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'PostToolUse';
          tool_name: string;
          tool_input: unknown;
          tool_response: unknown;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('PostToolUseFailureHookInput', () => {
    expectTypeOf<
      ReadsAs<
        PostToolUseFailureHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'PostToolUseFailure';
          tool_name: string;
          tool_input: unknown;
          error: string;
          is_interrupt: boolean | undefined;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('UserPromptSubmitHookInput', () => {
    expectTypeOf<
      ReadsAs<
        UserPromptSubmitHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'UserPromptSubmit';
          prompt: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SessionStartHookInput', () => {
    expectTypeOf<
      ReadsAs<
        SessionStartHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'SessionStart';
          source: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SessionEndHookInput', () => {
    expectTypeOf<
      ReadsAs<
        SessionEndHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'SessionEnd';
          reason: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('StopHookInput', () => {
    expectTypeOf<
      ReadsAs<
        StopHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'Stop';
          stop_hook_active: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SubagentStartHookInput', () => {
    expectTypeOf<
      ReadsAs<
        SubagentStartHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'SubagentStart';
          agent_id: string;
          agent_type: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SubagentStopHookInput', () => {
    expectTypeOf<
      ReadsAs<
        SubagentStopHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'SubagentStop';
          stop_hook_active: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('PreCompactHookInput', () => {
    expectTypeOf<
      ReadsAs<
        PreCompactHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'PreCompact';
          trigger: string;
          custom_instructions: string | null;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('PostCompactHookInput', () => {
    expectTypeOf<
      ReadsAs<
        PostCompactHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'PostCompact';
          trigger: string;
          compact_summary: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('CwdChangedHookInput', () => {
    expectTypeOf<
      ReadsAs<
        CwdChangedHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'CwdChanged';
          old_cwd: string;
          new_cwd: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('InstructionsLoadedHookInput', () => {
    expectTypeOf<
      ReadsAs<
        InstructionsLoadedHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'InstructionsLoaded';
          load_reason: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('FileChangedHookInput', () => {
    expectTypeOf<
      ReadsAs<
        FileChangedHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'FileChanged';
          file_path: string;
          event: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('PermissionRequestHookInput', () => {
    expectTypeOf<
      ReadsAs<
        PermissionRequestHookInput,
        {
          hook_event_name: string;
          session_id: string;
          transcript_path: string;
          cwd: string;
        } & {
          hook_event_name: 'PermissionRequest';
          tool_name: string;
          tool_input: unknown;
          permission_suggestions: PermissionUpdate[] | undefined;
        }
      >
    >().toEqualTypeOf<true>();
  });
});
