// Messages have the fields of spec 004, compared by the type check; `messages.test.ts` reads those that are sent.
import { describe, expectTypeOf, it } from 'vitest';
import type {
  McpServerStatus,
  SDKBridgeStateMessage,
  SDKCloudAgentEventMessage,
  SDKElicitationCompleteMessage,
  SDKFilesPersistedEvent,
  SDKHookProgressMessage,
  SDKMcpStatusChangeMessage,
  SDKPromptSuggestionMessage,
  SDKSessionStateChangedMessage,
  SDKSessionTitleChangedMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
} from '../../src/index.js';
import type { ReadsAs, SameShape } from './type-shape.js';

describe('message types', () => {
  it('SDKMcpStatusChangeMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKMcpStatusChangeMessage,
        {
          type: 'system';
          subtype: 'mcp_status_change';
          servers: McpServerStatus[];
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKHookProgressMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKHookProgressMessage,
        {
          type: 'system';
          subtype: 'hook_progress';
          hook_id: string;
          hook_name: string;
          hook_event: string;
          stdout: string;
          stderr: string;
          output: string;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKTaskStartedMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKTaskStartedMessage,
        {
          type: 'system';
          subtype: 'task_started';
          task_id: string;
          tool_use_id?: string;
          description: string;
          task_type?: string;
          workflow_name?: string;
          prompt?: string;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKTaskProgressMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKTaskProgressMessage,
        {
          type: 'system';
          subtype: 'task_progress';
          task_id: string;
          tool_use_id?: string;
          description: string;
          usage: {
            total_tokens: number;
            tool_uses: number;
            duration_ms: number;
          };
          last_tool_name?: string;
          summary?: string;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKTaskNotificationMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKTaskNotificationMessage,
        {
          type: 'system';
          subtype: 'task_notification';
          task_id: string;
          tool_use_id?: string;
          status: 'completed' | 'failed' | 'stopped';
          output_file: string;
          summary: string;
          usage?: {
            total_tokens: number;
            tool_uses: number;
            duration_ms: number;
          };
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKSessionStateChangedMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKSessionStateChangedMessage,
        {
          type: 'system';
          subtype: 'session_state_changed';
          state: 'idle' | 'running' | 'requires_action';
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKSessionTitleChangedMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKSessionTitleChangedMessage,
        {
          type: 'system';
          subtype: 'session_title_changed';
          title: string;
          source: 'ai' | 'custom';
          revision: number;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKBridgeStateMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKBridgeStateMessage,
        {
          type: 'system';
          subtype: 'bridge_state';
          state: string;
          detail?: string;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKFilesPersistedEvent', () => {
    expectTypeOf<
      ReadsAs<
        SDKFilesPersistedEvent,
        {
          type: 'system';
          subtype: 'files_persisted';
          files: { filename: string; file_id: string }[];
          failed: { filename: string; error: string }[];
          processed_at: string;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKElicitationCompleteMessage', () => {
    expectTypeOf<
      ReadsAs<
        SDKElicitationCompleteMessage,
        {
          type: 'system';
          subtype: 'elicitation_complete';
          mcp_server_name: string;
          elicitation_id: string;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKPromptSuggestionMessage', () => {
    expectTypeOf<
      SameShape<
        SDKPromptSuggestionMessage,
        {
          type: 'prompt_suggestion';
          suggestion: string;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKCloudAgentEventMessage', () => {
    expectTypeOf<
      SameShape<
        SDKCloudAgentEventMessage,
        {
          type: 'cloud_agent_event';
          event: string;
          id?: string;
          data: unknown;
          uuid: string;
          session_id: string;
        }
      >
    >().toEqualTypeOf<true>();
  });
});
