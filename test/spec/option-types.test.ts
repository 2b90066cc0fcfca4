// Agents, permissions, servers, sandbox and cloud options have the fields of spec 004. Types only: the type check is the test.
import { describe, expectTypeOf, it } from 'vitest';
import type {
  AgentCreateParams,
  AgentDefinition,
  AgentInfo,
  AgentMcpServerSpec,
  AuthOptions,
  CallToolResult,
  CanUseTool,
  CanUseToolOptions,
  CloudAgentOptions,
  CloudAgentReference,
  CloudAgentStreamOptions,
  CloudSessionCreateParams,
  EffortLevel,
  ExitPlanModeApprovalDetails,
  McpHttpServerConfig,
  McpSdkServer,
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
  McpToolResultContent,
  PermissionDecisionClassification,
  PermissionDecisionReasonType,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
  SandboxFilesystemConfig,
  SandboxNetworkConfig,
  SandboxSettings,
  SDKPermissionDenial,
  SdkPluginConfig,
  SettingSource,
  ToolAnnotations,
  ToolConfig,
  ToolExtras,
} from '../../src/index.js';
import type { ReadsAs, SameShape, Takes } from './type-shape.js';

describe('option types', () => {
  it('AuthOptions', () => {
    expectTypeOf<
      SameShape<AuthOptions, { type: 'accessToken'; accessToken: string | { envVar: string } } | { type: 'qodercli' }>
    >().toEqualTypeOf<true>();
  });

  it('AgentDefinition', () => {
    expectTypeOf<
      Takes<
        AgentDefinition,
        {
          description: string;
          prompt: string;
          tools?: string[];
          disallowedTools?: string[];
          model?: string;
          mcpServers?: AgentMcpServerSpec[];
          skills?: string[];
          initialPrompt?: string;
          maxTurns?: number;
          effort?: EffortLevel;
          permissionMode?: PermissionMode;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('EffortLevel', () => {
    expectTypeOf<Takes<EffortLevel, 'low' | 'medium' | 'high' | 'max'>>().toEqualTypeOf<true>();
  });

  it('PermissionMode', () => {
    expectTypeOf<
      SameShape<PermissionMode, 'default' | 'acceptEdits' | 'bypassPermissions' | 'yolo' | 'plan' | 'dontAsk' | 'auto'>
    >().toEqualTypeOf<true>();
  });

  it('AgentInfo', () => {
    expectTypeOf<
      SameShape<
        AgentInfo,
        {
          name: string;
          description: string;
          model?: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('AgentMcpServerSpec', () => {
    expectTypeOf<SameShape<AgentMcpServerSpec, string | Record<string, McpServerConfig>>>().toEqualTypeOf<true>();
  });

  it('CanUseTool', () => {
    expectTypeOf<
      SameShape<
        CanUseTool,
        (toolName: string, input: Record<string, unknown>, options: CanUseToolOptions) => Promise<PermissionResult>
      >
    >().toEqualTypeOf<true>();
  });

  it('CanUseToolOptions', () => {
    expectTypeOf<
      SameShape<
        CanUseToolOptions,
        {
          signal: AbortSignal;
          suggestions?: PermissionUpdate[];
          blockedPath?: string;
          decisionReason?: string;
          decisionReasonType?: PermissionDecisionReasonType;
          classifierApprovable?: boolean;
          title?: string;
          displayName?: string;
          description?: string;
          toolUseID: string;
          agentID?: string;
          exitPlanMode?: ExitPlanModeApprovalDetails;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('PermissionResult', () => {
    expectTypeOf<
      SameShape<
        PermissionResult,
        | {
            behavior: 'allow';
            updatedInput?: Record<string, unknown>;
            updatedPermissions?: PermissionUpdate[];
            toolUseID?: string;
            decisionClassification?: PermissionDecisionClassification;
          }
        | {
            behavior: 'deny';
            message: string;
            interrupt?: boolean;
            toolUseID?: string;
            decisionClassification?: PermissionDecisionClassification;
          }
      >
    >().toEqualTypeOf<true>();
  });

  it('McpServerConfig', () => {
    expectTypeOf<
      SameShape<
        McpServerConfig,
        McpStdioServerConfig | McpSSEServerConfig | McpHttpServerConfig | McpSdkServerConfigWithInstance
      >
    >().toEqualTypeOf<true>();
  });

  it('McpStdioServerConfig', () => {
    expectTypeOf<
      SameShape<
        McpStdioServerConfig,
        {
          type?: 'stdio';
          command: string;
          args?: string[];
          env?: Record<string, string>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('McpSSEServerConfig', () => {
    expectTypeOf<
      Takes<
        McpSSEServerConfig,
        {
          type: 'sse';
          url: string;
          headers?: Record<string, string>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('McpHttpServerConfig', () => {
    expectTypeOf<
      Takes<
        McpHttpServerConfig,
        {
          type: 'http';
          url: string;
          headers?: Record<string, string>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('McpSdkServerConfigWithInstance', () => {
    expectTypeOf<
      Takes<
        McpSdkServerConfigWithInstance,
        {
          type: 'sdk';
          name: string;
          instance: McpSdkServer;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SdkPluginConfig', () => {
    expectTypeOf<
      SameShape<
        SdkPluginConfig,
        {
          type: 'local';
          path: string;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('CloudAgentOptions', () => {
    expectTypeOf<
      SameShape<
        CloudAgentOptions,
        | {
            session: { id: string };
            agent?: never;
            stream?: CloudAgentStreamOptions;
          }
        | {
            agent: CloudAgentReference;
            session: { create: CloudSessionCreateParams };
            stream?: CloudAgentStreamOptions;
          }
      >
    >().toEqualTypeOf<true>();
  });

  it('CloudAgentReference', () => {
    expectTypeOf<
      SameShape<CloudAgentReference, { id: string; create?: never } | { create: AgentCreateParams; id?: never }>
    >().toEqualTypeOf<true>();
  });

  it('CloudAgentStreamOptions', () => {
    expectTypeOf<
      SameShape<
        CloudAgentStreamOptions,
        {
          afterId?: string;
          deltaFlushIntervalMs?: number;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('AgentCreateParams', () => {
    expectTypeOf<
      SameShape<
        AgentCreateParams,
        {
          model: string;
          name: string;
          description?: string | null;
          system?: string | null;
          tools?: Array<{
            type: 'agent_toolset_20260401';
            enabled_tools?: Array<'bash' | 'write' | 'glob' | 'web_fetch' | 'read' | 'edit' | 'grep' | 'web_search'>;
          }>;
          mcp_servers?: Array<{ name: string; type: 'url'; url: string }>;
          skills?: Array<{ skill_id: string; type: 'custom' }>;
          metadata?: Record<string, string>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('CloudSessionCreateParams', () => {
    expectTypeOf<
      SameShape<
        CloudSessionCreateParams,
        {
          environment_id: string;
          resources?: Array<{ type: 'file'; file_id: string; path?: string }>;
          title?: string | null;
          vault_ids?: Array<string>;
          memory_store_ids?: Array<string>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SandboxSettings', () => {
    expectTypeOf<
      SameShape<
        SandboxSettings,
        {
          enabled?: boolean;
          autoAllowBashIfSandboxed?: boolean;
          excludedCommands?: string[];
          allowUnsandboxedCommands?: boolean;
          network?: SandboxNetworkConfig;
          filesystem?: SandboxFilesystemConfig;
          ignoreViolations?: { file?: string[]; network?: string[] };
          enableWeakerNestedSandbox?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SandboxNetworkConfig', () => {
    expectTypeOf<
      SameShape<
        SandboxNetworkConfig,
        {
          allowLocalBinding?: boolean;
          allowUnixSockets?: string[];
          allowAllUnixSockets?: boolean;
          httpProxyPort?: number;
          socksProxyPort?: number;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SandboxFilesystemConfig', () => {
    expectTypeOf<
      SameShape<
        SandboxFilesystemConfig,
        {
          allowWrite?: string[];
          denyWrite?: string[];
          denyRead?: string[];
          allowRead?: string[];
          allowManagedReadPathsOnly?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SettingSource', () => {
    expectTypeOf<SameShape<SettingSource, 'user' | 'project' | 'local'>>().toEqualTypeOf<true>();
  });

  it('ToolConfig', () => {
    expectTypeOf<
      SameShape<
        ToolConfig,
        {
          askUserQuestion?: {
            previewFormat?: 'markdown' | 'html';
          };
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ToolAnnotations', () => {
    expectTypeOf<
      Takes<
        ToolAnnotations,
        {
          title?: string;
          readOnlyHint?: boolean;
          destructiveHint?: boolean;
          openWorldHint?: boolean;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('ToolExtras', () => {
    expectTypeOf<
      SameShape<
        Omit<ToolExtras, 'searchHint' | 'alwaysLoad'>,
        {
          annotations?: ToolAnnotations;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('McpToolResultContent', () => {
    expectTypeOf<
      SameShape<
        McpToolResultContent,
        | { type: 'text'; text: string }
        | { type: 'image'; data: string; mimeType: string }
        | { type: 'audio'; data: string; mimeType: string }
        | {
            type: 'resource_link';
            uri: string;
            name?: string;
            description?: string;
            mimeType?: string;
          }
        | {
            type: 'resource';
            resource: {
              uri: string;
              mimeType?: string;
              text?: string;
              blob?: string;
            };
          }
      >
    >().toEqualTypeOf<true>();
  });

  it('CallToolResult', () => {
    expectTypeOf<
      Takes<
        CallToolResult,
        {
          content: McpToolResultContent[];
          isError?: boolean;
          _meta?: Record<string, unknown>;
        }
      >
    >().toEqualTypeOf<true>();
  });

  it('SDKPermissionDenial', () => {
    expectTypeOf<
      ReadsAs<
        SDKPermissionDenial,
        {
          tool_name: string;
          tool_use_id: string;
          tool_input: Record<string, unknown>;
        }
      >
    >().toEqualTypeOf<true>();
  });
});
