// The options about reaching models: checked before anything starts, so that a wrong one is no failed request later.

import path from 'node:path';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { AuthOptions, ProviderKeyOptions } from '../../protocol/model-options.js';
import { checkAiSdkModel, isAiSdkModel } from '../../providers/ai-sdk/index.js';
import { checkTiers, isTier } from '../../providers/models/index.js';
import type { ModelOptions } from '../../session/config/index.js';
import type { Options } from '../options/index.js';

type Auth = AuthOptions | ProviderKeyOptions;

const AUTH_TYPES = ['accessToken', 'apiKey', 'apiKeyHelper', 'qodercli', 'tokenProvider'];

/** Empty if the host says nothing of models. @throws ConfigError */
export async function modelOptions(
  options: Pick<
    Options,
    'auth' | 'providers' | 'proxy' | 'modelsFile' | 'caFile' | 'modelTiers' | 'modelObjects' | 'betas'
  >,
  host: Pick<Host, 'platform'>,
): Promise<ModelOptions> {
  const { auth, providers, proxy, modelsFile, caFile, modelObjects, betas = [] } = options;
  const checkedAuth = auth === undefined ? undefined : checkAuth(auth);
  const modelTiers = options.modelTiers === undefined ? undefined : checkTiers(options.modelTiers, 'modelTiers');
  const absolute = (file: string, option: string): string => {
    if (typeof file !== 'string' || file === '') throw new ConfigError(`${option} must be the path of a file.`);
    return path.resolve(host.platform.cwd, file);
  };
  if (proxy !== undefined && typeof proxy !== 'string') throw new ConfigError('proxy must be the address of a proxy.');
  return {
    ...(checkedAuth === undefined ? {} : { auth: checkedAuth }),
    ...(providers === undefined ? {} : { providers }),
    ...(modelTiers === undefined ? {} : { modelTiers }),
    ...(modelObjects === undefined ? {} : { modelObjects: checkObjects(modelObjects) }),
    ...(modelsFile === undefined ? {} : { modelsFile: absolute(modelsFile, 'modelsFile') }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(betas.length === 0 ? {} : { betas: betas.map(checkBeta) }),
    ...(caFile === undefined ? {} : { caFile: absolute(caFile, 'caFile') }),
  };
}

/** It goes into a header, with commas between. @throws ConfigError */
function checkBeta(name: string): string {
  if (/^[\w.:-]{1,100}$/.test(name)) return name;
  throw new ConfigError(`betas: ${JSON.stringify(name.slice(0, 64))} cannot be the name of a feature of the API.`);
}

/** A name of theirs is found before any other, so it may be none that means something already. */
function checkObjects(objects: NonNullable<Options['modelObjects']>): NonNullable<ModelOptions['modelObjects']> {
  if (typeof objects !== 'object' || objects === null || Array.isArray(objects)) {
    throw new ConfigError('modelObjects must be an object with model objects of the AI SDK by their names.');
  }
  for (const [name, object] of Object.entries(objects)) {
    if (/^$|[\s\p{C}]/u.test(name) || ['default', 'inherit', 'offline'].includes(name) || isTier(name)) {
      throw new ConfigError(
        `modelObjects: "${name.slice(0, 64)}" cannot be the name of a model object. Give it another name.`,
      );
    }
    if (!isAiSdkModel(object)) throw new ConfigError(`modelObjects.${name} is not a model object of the AI SDK.`);
    checkAiSdkModel(object);
  }
  return new Map(Object.entries(objects));
}

/** Anything may stand there in a program without types. No text shows a key. */
function checkAuth(auth: Auth): Auth {
  if (typeof auth !== 'object' || auth === null || !AUTH_TYPES.includes(auth.type)) {
    throw new ConfigError(
      `auth must have one of the types ${AUTH_TYPES.join(', ')}, as accessToken() and apiKey() give it.`,
    );
  }
  if (auth.type === 'qodercli') return auth;
  if (
    'provider' in auth &&
    auth.provider !== undefined &&
    (typeof auth.provider !== 'string' || auth.provider === '')
  ) {
    throw new ConfigError(`auth.provider must be the name of a provider.`);
  }
  if (auth.type === 'tokenProvider') {
    if (typeof auth.fetchToken === 'function') return auth;
    throw new ConfigError('auth.fetchToken must be a function that gives { token, expiresAt? }, or null.');
  }
  if (auth.type === 'apiKeyHelper') {
    const { command, ttlMs } = auth;
    if (typeof command !== 'string' || command.trim() === '') {
      throw new ConfigError(`auth must name the command that prints the key.`);
    }
    if (ttlMs !== undefined && !(Number.isFinite(ttlMs) && ttlMs >= 0)) {
      throw new ConfigError(`auth.ttlMs must be a number of milliseconds from 0 on.`);
    }
    return auth;
  }
  const name = auth.type === 'accessToken' ? 'accessToken' : 'apiKey';
  const secret: unknown = auth.type === 'accessToken' ? auth.accessToken : auth.apiKey;
  const isText = typeof secret === 'string' && secret.trim() !== '';
  const envVar = typeof secret === 'object' && secret !== null && 'envVar' in secret ? secret.envVar : undefined;
  if (isText || (typeof envVar === 'string' && envVar !== '')) return auth;
  throw new ConfigError(`auth.${name} must be a text that is not empty, or { envVar: 'NAME' }.`);
}
