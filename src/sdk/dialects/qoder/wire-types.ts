// Requests of the wire of the Qoder Agent SDK, which programs name and never send, and transports. Types only.
import type {
  BYOKModelValidationInput,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  DeleteByokConfigInput,
  UsageInfo,
} from '../../../protocol/index.js';
import type { CheckByokConfigInput, CreateByokConfigInput, UpdateByokConfigInput } from './byok-types.js';
import type { QoderModelPurpose } from './constants.js';
import type { SessionCreditsUsage } from './not-here-types.js';
import type { CustomModel, ModelInfo } from './told-types.js';

type Request<Subtype extends string, Fields = unknown> = { type: Subtype } & Fields;
type Config<Input> = { config: Input };

export type SDKControlBackgroundTasksRequest = { subtype: 'background_tasks'; tool_use_id?: string };
export type SDKControlBackgroundTasksResponse = { backgrounded?: boolean };
export type SDKControlGetModelPolicyResponse = {
  type: 'get_model_policy';
  model?: string;
  parameters?: Record<string, unknown>;
  custom_model?: CustomModel;
  task_id?: string;
  sub_task?: string;
};
export type SDKControlGetUsageInfoResponse = {
  usage: UsageInfo | null;
  session?: SessionCreditsUsage;
  usage_error?: string;
};
export type SDKControlValidateByokModelResponse = { success: boolean };
export type SDKControlListByokConfigsResponse = { configs: ByokConfigInfo[] };
export type SDKControlCreateByokConfigResponse = { config: ByokConfigReference };
export type SDKControlCheckByokConfigResponse = ByokConfigCheckResult;
export type SDKControlStopTaskRequest = { subtype: 'stop_task'; task_id: string };
export type SDKControlGetUsageInfoRequest = Request<'get_usage_info'>;
export type SDKControlReloadSkillsRequest = Request<'reload_skills'>;
export type SDKControlGetByokConfigRequest = Request<'get_byok_config'>;
export type SDKControlListByokConfigsRequest = Request<'list_byok_configs'>;
export type SDKControlValidateByokModelRequest = Request<'validate_byok_model', BYOKModelValidationInput>;
export type SDKControlCheckByokConfigRequest = Request<'check_byok_config', Config<CheckByokConfigInput>>;
export type SDKControlCreateByokConfigRequest = Request<'create_byok_config', Config<CreateByokConfigInput>>;
export type SDKControlUpdateByokConfigRequest = Request<'update_byok_config', Config<UpdateByokConfigInput>>;
export type SDKControlDeleteByokConfigRequest = Request<'delete_byok_config', { target: DeleteByokConfigInput }>;
export type SDKControlGetModelPolicyRequest = Request<
  'get_model_policy',
  {
    purpose: QoderModelPurpose;
    sessionId: string;
    turnIndex: number;
    agentId?: string;
    agentType?: string;
    resolvedModel?: string;
    contextUsage?: number;
    estimatedInputTokens?: number;
    estimatedOutputTokens?: number;
    retry?: { attempt: number; lastError: string; lastModelId: string };
    models?: ModelInfo[];
  }
>;

// Transports: there is one, this process.
export type ProcessTransportOptions = object;
export type WorkerTransportOptions = {
  pathToQoderWorkerRuntime?: string;
  closeGraceMs?: number;
  execArgv?: string[];
  workerData?: Record<string, unknown>;
};
export type WorkerRuntimeTransportOptions = ProcessTransportOptions & WorkerTransportOptions;
export type QueryTransportCreateOptions = ProcessTransportOptions;
/** How the published SDK talks to an engine elsewhere. */
export interface Transport {
  initialize(): Promise<void>;
  write(data: string): void | Promise<void>;
  close(): void | Promise<void>;
  isReady(): boolean;
  readMessages(): AsyncGenerator<unknown, void, unknown>;
  endInput(): void;
}
export interface QueryTransportProvider<Options = unknown> {
  create(options: Options): Transport;
}
export type QueryTransportProviderOption = QueryTransportProvider<QueryTransportCreateOptions>;
export type QueryTransportOptions = QueryTransportProviderOption;
