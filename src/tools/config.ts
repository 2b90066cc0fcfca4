// Config: shows and changes the settings of the session's folder. One rule: it writes our own settings files only, which
// are protected, so that each change is asked about, in every mode.
import type { JsonSchema } from '../protocol/json.js';
import type { ConfigInput, ConfigOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import type { ConfigAccess } from './shared/config-access.js';
import { type AnyTool, defineTool } from './tool.js';

const configInputSchema = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['get', 'set', 'list'] },
    key: { type: 'string', description: 'Dotted: permissions.defaultMode. For list: only the keys under it.' },
    value: { description: 'For set: the value, as JSON. null removes the setting.' },
    scope: {
      type: 'string',
      enum: ['user', 'project', 'local'],
      description: 'For set: which settings file. Default user, which holds for all projects.',
    },
  },
  required: ['action'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Shows settings, with the file that each comes from, and changes them. The user is asked about each change; it takes effect with the next request.
- Change a setting only if the user asks for it. API keys and tokens can be neither shown nor set here.`;

/** For sessions that name it in `tools`. */
export function createConfigTool(access: ConfigAccess): AnyTool {
  return defineTool<ConfigInput, ConfigOutput>({
    name: 'Config',
    description: DESCRIPTION,
    inputSchema: configInputSchema,
    readOnly: false,
    onlyReads: ({ action }) => action !== 'set',
    confines: ({ action }) => action === 'set',
    concurrencySafe: false,
    deferrable: 'rare',
    title: ({ action, key = '' }) => shorten(`${action === 'set' ? 'Change' : 'Show'} settings ${key}`.trim(), 120),
    subject: ({ action, scope = 'user' }) =>
      action === 'set' ? { kind: 'path', path: access.fileOf(scope), access: 'write' } : { kind: 'none' },
    run: async (input) => (await import('./config/use-config.js')).useConfig(input, access),
  });
}
