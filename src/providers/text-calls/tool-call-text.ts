// Models that are poor at calling tools, as a wrapper of any Provider. What it does is loaded with the first request.
import { type AttemptLimits, later, type ModelRequest, type Provider, qualitiesOf } from '../contract/index.js';
import { DOORS } from '../doors.js';
import type { ToolCallProfile, ToolCallReader } from './call-form.js';

/**
 * A provider whose replies hold real calls if the model wrote them as text: `<tool_call>{…}</tool_call>`,
 * `[TOOL_CALLS][…]`, JSON with name and arguments, and the forms of the other open model families.
 * Contract: a text becomes a call only if it is whole, has the exact name of an offered tool, and is the whole message
 * or stands in marks at its end; text that was shown never holds a part of a call. Arguments are repaired if only one
 * repair is possible. With `native` it is the provider itself.
 */
export function withToolCallText(
  provider: Provider & { close?(): void },
  profile: ToolCallProfile = 'auto',
): Provider & { close?(): void } {
  if (profile === 'native') return provider;
  let reader: Promise<ToolCallReader> | null = null;
  const load = () => {
    reader ??= DOORS.textCalls().then((loaded) => loaded.createToolCallReader(profile));
    return reader;
  };
  return {
    ...qualitiesOf(provider),
    stream: (request: ModelRequest, limits: AttemptLimits, signal: AbortSignal) =>
      later(async () => {
        const { ask, read } = await load();
        return read(provider.stream(ask(request), limits, signal), request);
      }),
    ...(provider.close === undefined ? {} : { close: () => provider.close?.() }),
  };
}
