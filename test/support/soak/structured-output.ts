// Models that do not give the value they were asked for, in eight ways, over random schemas: a prompt ends as success
// with a value that fits its schema, or it says that there is none.
import { Validator } from '@cfworker/json-schema';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { probeTool, testEngine } from '../engine.js';
import { createRandom } from './random.js';
import { randomSchema, type SchemaCase } from './schemas.js';

const TOOL = 'StructuredOutput';
/** More than a prompt asks for. */
const MOST_STEPS = 12;

/** What the model does at its `at`th reply, from 0. */
type Behaviour = (given: SchemaCase, at: number) => ScriptedStep;

const call = (input: unknown) => toolCall(TOOL, input as Record<string, unknown>);
const fields = ({ value }: SchemaCase) => value as Readonly<Record<string, unknown>>;

export const MISBEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  prose: (_given, at) => text(`There is nothing more to say, ${at}.`),
  fenced: ({ value }) => text(`\`\`\`json\n${JSON.stringify(value)}\n\`\`\``),
  wrapped: ({ value }) => call({ output: value }),
  'extra keys': (given, at) => call({ ...fields(given), [`extra${at}`]: true }),
  'wrong types': (given, at) => call(Object.fromEntries(Object.keys(fields(given)).map((key) => [key, { wrong: at }]))),
  truncated: (given) => ({ ...reply(call(given.value)), stopReason: 'max_tokens' }) as ScriptedStep,
  refuses: () => ({ ...reply(text('I will not.')), stopReason: 'refusal' }) as ScriptedStep,
  'late, with only other tools allowed': (given, at) =>
    at < 2 ? toolCall('Probe', { value: `${at}` }) : call(given.value),
};

/** How those end that do not end for want of a value: their replies stay cut, or are refusals. */
const ENDINGS: Readonly<Record<string, string>> = {
  truncated: 'error_during_execution',
  refuses: 'error_during_execution',
};

export interface StructuredOutputRun {
  readonly prompts: number;
  readonly values: number;
  /** Ended as success without a value that fits, or without saying why there is none. */
  readonly broken: readonly string[];
}

export async function checkStructuredOutput(seed: number, schemas: number): Promise<StructuredOutputRun> {
  const random = createRandom(seed);
  const broken: string[] = [];
  let values = 0;
  let prompts = 0;
  for (let at = 0; at < schemas; at++) {
    const given = randomSchema(random);
    for (const [name, behave] of Object.entries(MISBEHAVIOURS)) {
      prompts += 1;
      const steps = Array.from({ length: MOST_STEPS }, (_, step) => behave(given, step));
      const { engine } = await testEngine(scriptedModel(steps), {
        jsonSchema: given.schema,
        tools: [probeTool()],
        persistSession: false,
      });
      const result = lastResult(await collect(engine.submitMessage('go')));
      const validator = new Validator(given.schema as object, '2020-12', false);
      const fits = result.subtype === 'success' && validator.validate(result.structured_output).valid;
      if (fits) values += 1;
      const isTold = result.subtype === (ENDINGS[name] ?? 'error_max_structured_output_retries');
      if (!fits && !(isTold && 'errors' in result && result.errors.length > 0))
        broken.push(`${name}, schema ${at}: ${result.subtype}`);
      await engine.close();
    }
  }
  return { prompts, values, broken };
}
