import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSessionWireValidator } from '../../../src/testing/wire/wire-session.js';
import { validateModelRequest, validateWireRequest } from '../../../src/testing/wire/wire-validator.js';
import { mutations, validHistories } from '../histories.js';
import { modelRequest, wireBody } from '../support.js';

const RUNS = { seed: 42, numRuns: 400 };

describe('random histories', () => {
  it('finds nothing in a valid one, in either form', () => {
    fc.assert(
      fc.property(validHistories, (messages) => {
        expect(validateModelRequest(modelRequest(messages))).toEqual([]);
        expect(validateWireRequest(JSON.parse(JSON.stringify(wireBody(messages))))).toEqual([]);
      }),
      RUNS,
    );
  });

  it.each(mutations)('$name: always $code', ({ code, apply }) => {
    let damaged = 0;
    fc.assert(
      fc.property(validHistories, fc.nat(), (messages, seed) => {
        const mutated = apply(messages, (length) => seed % length);
        if (mutated === null) return;
        damaged++;
        expect(validateModelRequest(modelRequest(mutated)).map((violation) => violation.code)).toContain(code);
      }),
      RUNS,
    );
    expect(damaged).toBeGreaterThan(100);
  });

  it('finds nothing in a conversation that only grows, and judges each message as it would alone', () => {
    fc.assert(
      fc.property(validHistories, (messages) => {
        const session = createSessionWireValidator({ appendOnly: true });
        for (let length = 1; length <= messages.length; length += 2) {
          const request = modelRequest(messages.slice(0, length));
          expect(session.checkModelRequest(request).violations).toEqual(validateModelRequest(request));
        }
      }),
      RUNS,
    );
  });
});
