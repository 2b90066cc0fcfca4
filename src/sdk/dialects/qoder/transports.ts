// What carries a session of the Qoder Agent SDK: this process, a child process, or what the program made itself; and the requests of
// its wire, which programs name and never send. One rule: the messages are the same whichever it is.
import { ConfigError } from '../../../protocol/errors.js';
import type {
  BYOKModelValidationInput,
  ByokConfigCheckResult,
  ByokConfigInfo,
  ByokConfigReference,
  DeleteByokConfigInput,
  UsageInfo,
} from '../../../protocol/index.js';
import type { SpawnOptions } from '../../../protocol/options.js';
import { errorText } from '../../../util/text.js';
import type { Options as OurOptions } from '../../options/index.js';
import { refuse } from '../refused.js';
import type { QoderModelPurpose } from './constants.js';
import type { SessionCreditsUsage } from './not-here-types.js';
import type {
  CheckByokConfigInput,
  CreateByokConfigInput,
  CustomModel,
  ModelInfo,
  UpdateByokConfigInput,
} from './told-types.js';

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

const MADE_BY_QUERY = 'query() starts its session itself. Give it as the option transport, or leave that out.';

/** Named as the option `transport`: the session runs in a child process. */
export class ProcessTransport {
  static readonly default: ProcessTransport = new ProcessTransport();
  readonly isProcess = true;

  /** @throws ConfigError, always */
  create(_options?: unknown): Transport {
    return refuse('ProcessTransport.create()', MADE_BY_QUERY);
  }
}

/** Named as the option `transport`: the session runs in this process, which needs no worker for it. */
export class WorkerTransport {
  static readonly default: WorkerTransport = new WorkerTransport();
  /** Mean nothing without a worker. */
  readonly options: unknown;

  constructor(options?: unknown) {
    this.options = options;
  }

  /** @throws ConfigError, always */
  create(_options?: unknown): Transport {
    return refuse('WorkerTransport.create()', MADE_BY_QUERY);
  }
}

type Given = Pick<OurOptions, 'pathToQoderCLIExecutable' | 'spawnQoderCLIProcess' | 'childProcess'>;

/** Options that the option `transport` comes to. @throws ConfigError if it is none */
export function transportOptions(transport: unknown, given: Given): Partial<OurOptions> {
  if (transport === undefined) return {};
  if (transport instanceof WorkerTransport) return {};
  const isNamed =
    given.pathToQoderCLIExecutable !== undefined ||
    given.spawnQoderCLIProcess !== undefined ||
    given.childProcess !== undefined;
  if (transport instanceof ProcessTransport) return isNamed ? {} : { childProcess: true };
  if (typeof (transport as QueryTransportProviderOption | null)?.create !== 'function')
    throw new ConfigError(
      'transport must be ProcessTransport.default, WorkerTransport.default, or an object whose create() gives a transport.',
    );
  const provider = transport as QueryTransportProviderOption;
  return {
    // What is at the other end speaks as the programs of that SDK do.
    pathToQoderCLIExecutable: given.pathToQoderCLIExecutable ?? 'qodercli',
    spawnQoderCLIProcess: (options: SpawnOptions) => overTransport(provider, options) as never,
  };
}

type Listener = (...given: unknown[]) => void;

class Emitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(event: string, listener: Listener): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    return this;
  }

  emit(event: string, ...given: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...given);
  }
}

class Output extends Emitter {
  #paused: Promise<void> | null = null;
  #resume: () => void = () => undefined;

  pause(): void {
    this.#paused ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#paused = null;
    this.#resume();
  }

  /** While the reader has room. */
  get room(): Promise<void> {
    return this.#paused ?? Promise.resolve();
  }
}

/** A transport, as the process that it may be: lines in, lines out, and an end. */
function overTransport(provider: QueryTransportProviderOption, { command, args, cwd, env }: SpawnOptions): object {
  const transport = provider.create({ pathToQoderCLIExecutable: command, args, cwd, env } as never);
  const stdout = new Output();
  const stdin = new Emitter();
  const whole = new Emitter();
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= (async () => transport.close())().catch(() => undefined); // its end follows, whatever it says to that
    return closing;
  };
  let last: Promise<unknown> = (async () => transport.initialize())();
  const state = { exitCode: null as number | null };
  const over = (exitCode: number): void => {
    state.exitCode = exitCode;
    stdout.emit('end');
    whole.emit('exit', exitCode, null);
  };
  void last
    .then(async () => {
      for await (const message of transport.readMessages()) {
        stdout.emit('data', `${JSON.stringify(message)}\n`);
        await stdout.room;
      }
      over(0);
    })
    .catch((error: unknown) => {
      if (closing === null) whole.emit('error', new Error(`The transport failed: ${errorText(error)}`));
      over(1);
    });
  return Object.assign(whole, {
    stdout,
    stdin: Object.assign(stdin, {
      write(data: string, done: (error?: Error | null) => void = () => undefined): void {
        // In their order, each once the transport took the one before; lines come without their ends.
        last = last
          .then(() => transport.write(data.replace(/\n$/, '')))
          .then(
            () => done(null),
            (error: unknown) => done(error instanceof Error ? error : new Error(errorText(error))),
          );
      },
      end(): void {
        last = last.then(
          () => transport.endInput(),
          () => undefined, // it never opened; that is told
        );
      },
    }),
    stderr: null,
    killed: false,
    get exitCode() {
      return state.exitCode;
    },
    kill(): boolean {
      void close();
      return true;
    },
  });
}
