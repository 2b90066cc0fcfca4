// What spec 000, 002 and 004 import exists under its name, and the constants and helpers say what they must.
import { describe, expect, expectTypeOf, it } from 'vitest';
import type {
  AgentMcpServerSpec,
  AnyZodRawShape,
  CanUseTool,
  CreateSdkMcpServerOptions,
  ExitPlanModeApprovalDetails,
  FileStateCache,
  HookCallback,
  HookEvent,
  HookInput,
  InferShape,
  MCPServerConnection,
  McpServerConfig,
  McpServerStatus,
  ModelContextConfig,
  ModelPolicyProvider,
  Options,
  PermissionDecisionClassification,
  PermissionDecisionReasonType,
  PermissionUpdate,
  Query,
  SDKAssistantMessageError,
  SDKMessage,
  SDKStatus,
  SdkMcpToolDefinition,
  ServerModelJson,
  Settings,
  SpawnedProcess,
  SpawnOptions,
  ThinkingConfig,
  ToolInputSchemas,
  ToolOutputSchemas,
} from '../../src/index.js';
import * as turnwright from '../../src/index.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../support/engine.js';
import { missingFields, namesOf } from './spec-names.js';

describe('exports', () => {
  it('has every function and class that the programs of the specification import', () => {
    for (const name of ['query', 'tool', 'createSdkMcpServer', 'getTools', 'getCommands', 'createFileStateCache'])
      expect(turnwright, name).toHaveProperty(name, expect.any(Function));
    expect(new turnwright.AbortError()).toBeInstanceOf(Error);
    expect(new turnwright.ModelPolicyTimeoutError()).toBeInstanceOf(Error);
    expect(new turnwright.ModelPolicyTimeoutError().name).toBe('ModelPolicyTimeoutError');
    expect(turnwright.QueryEngine.prototype.submitMessage).toBeInstanceOf(Function);
  });

  it('has the 27 hook events, those of the published packages behind them, and the 6 exit reasons as constants', () => {
    const named = namesOf('HookEvents');
    expect(turnwright.HOOK_EVENTS.slice(0, named.length)).toEqual(named);
    expect([...turnwright.EXIT_REASONS]).toEqual(namesOf('ExitReasons'));
  });

  it('has the functions of getTools and getCommands ready to use', async () => {
    const [tools, commands] = await Promise.all([turnwright.getTools(), turnwright.getCommands()]);
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['Bash', 'Read', 'TodoWrite']));
    expect(commands.map((command) => command.name)).toEqual(expect.arrayContaining(['help', 'clear', 'cost']));
  });

  it('has the types of the query function', () => {
    expectTypeOf<Parameters<typeof turnwright.query>[0]['options']>().toEqualTypeOf<Options | undefined>();
    expectTypeOf<ReturnType<typeof turnwright.query>>().toEqualTypeOf<Query>();
    expectTypeOf<Query>().toExtend<AsyncGenerator<SDKMessage, void>>();
    expectTypeOf<Options['settings']>().toEqualTypeOf<string | Settings | undefined>();
    expectTypeOf<Options['canUseTool']>().toEqualTypeOf<CanUseTool | undefined>();
    expectTypeOf<Options['thinking']>().toEqualTypeOf<ThinkingConfig | undefined>();
    expectTypeOf<HookEvent>().toEqualTypeOf<(typeof turnwright.HOOK_EVENTS)[number]>();
    expectTypeOf<HookInput['hook_event_name']>().toEqualTypeOf<HookEvent>();
    expectTypeOf<Parameters<HookCallback>[0]>().toEqualTypeOf<HookInput>();
    expectTypeOf<SpawnOptions>().toHaveProperty('signal').toEqualTypeOf<AbortSignal>();
    expectTypeOf<SpawnedProcess>().toHaveProperty('exitCode').toEqualTypeOf<number | null>();
    expectTypeOf<ReturnType<NonNullable<Options['spawnQoderCLIProcess']>>>().toEqualTypeOf<SpawnedProcess>();
    expectTypeOf<ReturnType<typeof turnwright.createFileStateCache>>().toEqualTypeOf<FileStateCache>();
  });

  it('has the types that messages, models and servers are made of', () => {
    expectTypeOf<SDKStatus>().toEqualTypeOf<'compacting' | 'requesting' | null>();
    expectTypeOf<Options['resolveModel']>().toEqualTypeOf<ModelPolicyProvider | undefined>();
    expectTypeOf<ModelContextConfig[string]>().toHaveProperty('token_count').toEqualTypeOf<number>();
    expectTypeOf<Record<string, string>>().toExtend<ServerModelJson>();
    expectTypeOf<MCPServerConnection>().toHaveProperty('name').toEqualTypeOf<string>();
    expectTypeOf<McpServerStatus>().toHaveProperty('name').toEqualTypeOf<string>();
    expectTypeOf<Record<string, McpServerConfig>>().toExtend<AgentMcpServerSpec>();
    expectTypeOf<'rate_limit'>().toExtend<SDKAssistantMessageError>();
    expectTypeOf<'rule' | 'mode' | 'hook'>().toExtend<PermissionDecisionReasonType>();
    expectTypeOf<'user_permanent'>().toExtend<PermissionDecisionClassification>();
    expectTypeOf<'setMode' | 'addRules' | 'addDirectories'>().toExtend<PermissionUpdate['type']>();
    expectTypeOf<ExitPlanModeApprovalDetails>().toExtend<object>();
    expectTypeOf<ToolInputSchemas | ToolOutputSchemas>().toExtend<object>();
  });

  it('has the types of tools of the host', () => {
    expectTypeOf<CreateSdkMcpServerOptions>().toHaveProperty('name').toEqualTypeOf<string>();
    expectTypeOf<CreateSdkMcpServerOptions>().toHaveProperty('version').toEqualTypeOf<string | undefined>();
    expectTypeOf<keyof CreateSdkMcpServerOptions>().toEqualTypeOf<'name' | 'version' | 'tools' | 'alwaysLoad'>();
    expectTypeOf<keyof SdkMcpToolDefinition>().toEqualTypeOf<
      'name' | 'description' | 'inputSchema' | 'annotations' | 'handler' | 'searchHint' | 'alwaysLoad'
    >();
    expectTypeOf<InferShape<Record<never, never>>>().toExtend<object>();
    expectTypeOf<InferShape<AnyZodRawShape>>().toExtend<object>();
  });
});

describe('helper functions', () => {
  it('read what they are named for, and nothing of other messages', async () => {
    const model = scriptedModel([toolCall('Probe', { value: 'a' }), text('ok')]);
    const { engine } = await testEngine(model, {
      tools: [probeTool()],
      canUseTool: async () => ({ behavior: 'deny', message: 'no' }),
    });
    const messages = await collect(engine.submitMessage('go'));
    const [init, first] = messages;
    if (init === undefined || first === undefined) throw new Error('no messages');
    const result = lastResult(messages);
    const { isResultMessage, getMessageContentBlocks, getSystemInitData, getPermissionDenials } = turnwright;
    expect(messages.map(isResultMessage)).toEqual(messages.map((message) => message === result));
    expect(getMessageContentBlocks(first)).toMatchObject([{ type: 'tool_use', name: 'Probe', input: { value: 'a' } }]);
    expect(getMessageContentBlocks(init)).toBeUndefined();
    expect(getSystemInitData(init)).toMatchObject({
      subtype: 'init',
      model: 'scripted',
      tools: ['Probe'],
      session_id: result.session_id,
    });
    expect(getSystemInitData(first).tools).toBeUndefined();
    expect(getPermissionDenials(result).map((denial) => denial.tool_name)).toEqual(['Probe']);
    expect(getPermissionDenials(first)).toEqual([]);
    expect(missingFields('SDKPermissionDenial', getPermissionDenials(result))).toEqual([]);
  });
});
