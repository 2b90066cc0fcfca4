// What a server may ask of the session, and what it is answered.
import { describe, expect, it } from 'vitest';
import { createServerRequests } from '../../../src/mcp/client/server-requests.js';
import type { UserAnswer } from '../../../src/tools/tool.js';

const { signal } = new AbortController();
const FORM = {
  message: 'Who?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'Ada' },
      age: { type: 'integer', default: 0 },
      town: { type: 'string' },
    },
  },
};

describe('a form that a server asks for', () => {
  const answered = (answer: UserAnswer) => {
    const requests = createServerRequests('s', { elicit: async () => answer, roots: () => [] });
    return requests.during(async () => requests.answer('elicitation/create', FORM, signal));
  };

  it('has what the user left out as the server proposed it', async () => {
    expect(await answered({ action: 'accept', content: { name: 'Bo', town: 'Rome' } })).toEqual({
      action: 'accept',
      content: { name: 'Bo', age: 0, town: 'Rome' },
    });
    expect(await answered({ action: 'accept', content: {} })).toMatchObject({ content: { name: 'Ada', age: 0 } });
  });

  it('is as the user says if that is no', async () => {
    expect(await answered({ action: 'decline' })).toEqual({ action: 'decline' });
    expect(await answered({ action: 'none', reason: 'nobody is here' })).toEqual({ action: 'cancel' });
  });

  it('is declined if no call is under way', async () => {
    const requests = createServerRequests('s', {
      elicit: async () => ({ action: 'accept', content: {} }),
      roots: () => [],
    });
    expect(await requests.answer('elicitation/create', FORM, signal)).toEqual({ action: 'decline' });
  });
});
