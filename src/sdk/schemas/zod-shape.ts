// Zod raw shapes, told by their structure: Zod 3 or 4, whichever copy the caller has. Nothing of Zod is loaded here.

/** A Zod 4 or Zod 3 schema, as far as this package looks at one. */
export interface ZodLike {
  safeParseAsync(
    value: unknown,
  ): Promise<
    | { readonly success: true; readonly data: unknown }
    | { readonly success: false; readonly error: { readonly issues: readonly ZodIssueLike[] } }
  >;
  readonly _output: unknown;
}

interface ZodIssueLike {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A field object such as `{ name: z.string() }`, not `z.object(...)`. */
export type AnyZodRawShape = { readonly [field: string]: ZodLike };

type OptionalKeys<Shape extends AnyZodRawShape> = {
  [Key in keyof Shape]: undefined extends Shape[Key]['_output'] ? Key : never;
}[keyof Shape];

type Flatten<T> = { [Key in keyof T]: T[Key] };

/** The arguments a shape describes. Fields that may be undefined are optional. */
export type InferShape<Shape extends AnyZodRawShape> = Flatten<
  { [Key in Exclude<keyof Shape, OptionalKeys<Shape>>]: Shape[Key]['_output'] } & {
    [Key in OptionalKeys<Shape>]?: Shape[Key]['_output'];
  }
>;

export function isZodSchema(value: unknown): value is ZodLike {
  if (typeof value !== 'object' || value === null) return false;
  return (
    ('_zod' in value || '_def' in value) && typeof (value as { safeParseAsync?: unknown }).safeParseAsync === 'function'
  );
}

/** True for an object all of whose fields are Zod schemas; `{}` counts, as the shape of no arguments. */
export function isZodShape(value: unknown): value is AnyZodRawShape {
  return typeof value === 'object' && value !== null && !isZodSchema(value) && Object.values(value).every(isZodSchema);
}

export type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: string[] };

/** Parses the fields of a shape; fields it does not name are left out. */
export async function parseShape(shape: AnyZodRawShape, args: unknown): Promise<Parsed> {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { ok: false, problems: ['the arguments are not an object'] };
  }
  const value: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [field, schema] of Object.entries(shape)) {
    const parsed = await parseSchema(
      schema,
      Object.hasOwn(args, field) ? (args as Record<string, unknown>)[field] : undefined,
      field,
    );
    if (!parsed.ok) problems.push(...parsed.problems);
    else if (parsed.value !== undefined) value[field] = parsed.value;
  }
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

export async function parseSchema(schema: ZodLike, value: unknown, name = ''): Promise<Parsed> {
  const result = await schema.safeParseAsync(value);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    problems: result.error.issues.map(
      (issue) => `${[name, ...issue.path.map(String)].filter((part) => part !== '').join('.')}: ${issue.message}`,
    ),
  };
}
