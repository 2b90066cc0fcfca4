import type { SDKMessage as OurMessage } from '../../../protocol/messages.js';
import type { Writable } from '../../../util/writable.js';

export type SDKMessage = Writable<OurMessage>;
export type SDKResultMessage = Extract<SDKMessage, { type: 'result' }>;
