// Whether a session could begin at all. For faces that offer another model instead of an error.
import { createNodeHost } from '../../host/node-host.js';
import { isEngineError } from '../../protocol/errors.js';
import { chooseIfKeyed } from '../../providers/choice/index.js';
import { openModelAccess } from '../../session/models/index.js';
import { modelOptions } from '../models/index.js';
import { type Options, plainOptions } from '../options/index.js';
import { withSettings } from '../settings/index.js';

/**
 * True if nobody names a model and there is no key for any, so that `query()` would throw for that alone. Options that
 * are wrong otherwise are told by `query()`.
 */
export async function lacksKey(given: Options): Promise<boolean> {
  const host = given.host ?? createNodeHost();
  try {
    const { options } = await withSettings(plainOptions(given), host);
    if (options.provider !== undefined || options.resolveModel !== undefined) return false;
    const agent = options.agent === undefined ? undefined : options.agents?.[options.agent];
    const model = options.model ?? agent?.model;
    const env = { ...host.env, ...options.env };
    const models = await modelOptions(options, host);
    return (await chooseIfKeyed(model, openModelAccess(host, env, models, model))) === null;
  } catch (error) {
    if (isEngineError(error)) return false;
    throw error;
  }
}
