// Whether a value is what its JSON Schema says: the keywords that our schemas use, and an error for any other.

export class Misfit extends Error {}

interface Schema {
  [keyword: string]: unknown;
}

const KNOWN = new Set([
  ...['$ref', 'type', 'properties', 'required', 'additionalProperties', 'items', 'prefixItems'],
  ...['enum', 'anyOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'pattern'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'propertyNames'],
  ...['title', 'description', 'default'],
]);
const LONGEST = 5_000_000; // elements of an array

/** Throws Misfit with the place of what isn't as it should be; `definitions` are those that $ref names. */
export function check(
  value: unknown,
  schema: Schema,
  definitions: Record<string, Schema>,
  place = '',
): void {
  for (const keyword of Object.keys(schema)) {
    if (!KNOWN.has(keyword))
      throw new Misfit(`the schema has a ${keyword} that this page doesn't know`);
  }
  if (typeof schema.$ref === 'string') {
    const named = definitions[schema.$ref.replace('#/$defs/', '')];
    if (!named) throw new Misfit(`the schema has no ${schema.$ref}`);
    check(value, named, definitions, place);
    return;
  }
  if (Array.isArray(schema.anyOf)) {
    const fits = (schema.anyOf as Schema[]).some((each) => {
      try {
        check(value, each, definitions, place);
        return true;
      } catch {
        return false;
      }
    });
    if (!fits) throw new Misfit(`${place || 'it'} is of no kind that it may be`);
    return;
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    throw new Misfit(`${place || 'it'} is none of ${schema.enum.join(', ')}`);
  }
  if (typeof schema.type === 'string' && !isOf(value, schema.type)) {
    throw new Misfit(`${place || 'it'} is no ${schema.type}`);
  }
  if (typeof value === 'number') number(value, schema, place);
  else if (typeof value === 'string') text(value, schema, place);
  else if (Array.isArray(value)) array(value, schema, definitions, place);
  else if (typeof value === 'object' && value !== null) {
    object(value as Record<string, unknown>, schema, definitions, place);
  }
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object')
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  if (type === 'string') return typeof value === 'string';
  return type === 'boolean' && typeof value === 'boolean';
}

function number(value: number, schema: Schema, place: string): void {
  const low = (schema.minimum ?? schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) as number;
  const high = (schema.maximum ?? schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) as number;
  if (!(value >= low && value <= high)) throw new Misfit(`${place} is out of its range`);
}

function text(value: string, schema: Schema, place: string): void {
  const { minLength = 0, maxLength = LONGEST, pattern } = schema;
  if (value.length < (minLength as number) || value.length > (maxLength as number)) {
    throw new Misfit(`${place} is too short or too long`);
  }
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) {
    throw new Misfit(`${place} isn't written as it should be`);
  }
}

function array(
  value: unknown[],
  schema: Schema,
  definitions: Record<string, Schema>,
  place: string,
): void {
  const { minItems = 0, maxItems = LONGEST } = schema;
  if (value.length < (minItems as number) || value.length > (maxItems as number)) {
    throw new Misfit(`${place} has too few entries, or too many`);
  }
  const first = (schema.prefixItems ?? []) as Schema[];
  if (!first.length && typeof schema.items === 'object') {
    const fits = simple(schema.items as Schema);
    if (fits && value.every(fits)) return; // long columns of numbers; what doesn't fit is named below
  }
  for (const [n, each] of value.entries()) {
    const own = first[n] ?? schema.items;
    if (own && typeof own === 'object') check(each, own as Schema, definitions, `${place}[${n}]`);
  }
}

type Fits = (value: unknown) => boolean;
const SIMPLE = new Set(['type', 'title', 'description', 'minimum', 'maximum']);
const fitted = new WeakMap<Schema, Fits | null>();

/** Whether a number, or null, is what the schema says, at once; null where the schema says more. */
function simple(schema: Schema): Fits | null {
  const before = fitted.get(schema);
  if (before !== undefined) return before;
  const found = simpleOf(schema);
  fitted.set(schema, found);
  return found;
}

function simpleOf(schema: Schema): Fits | null {
  if (Array.isArray(schema.anyOf) && Object.keys(schema).length === 1) {
    const every = (schema.anyOf as Schema[]).map(simple);
    return every.every((each) => each !== null)
      ? (value) => every.some((fits) => (fits as Fits)(value))
      : null;
  }
  const { type, minimum, maximum } = schema;
  if (!Object.keys(schema).every((keyword) => SIMPLE.has(keyword))) return null;
  if (type === 'null') return (value) => value === null;
  if (type !== 'number' && type !== 'integer') return null;
  const low = (minimum ?? Number.NEGATIVE_INFINITY) as number;
  const high = (maximum ?? Number.POSITIVE_INFINITY) as number;
  const whole = type === 'integer';
  return (value) =>
    typeof value === 'number' &&
    value >= low &&
    value <= high &&
    (!whole || Number.isInteger(value));
}

function object(
  value: Record<string, unknown>,
  schema: Schema,
  definitions: Record<string, Schema>,
  place: string,
): void {
  const own = (schema.properties ?? {}) as Record<string, Schema>;
  for (const name of (schema.required ?? []) as string[]) {
    if (!Object.hasOwn(value, name)) throw new Misfit(`${place}.${name} is missing`);
  }
  for (const [name, each] of Object.entries(value)) {
    const known = Object.hasOwn(own, name) ? own[name] : undefined;
    if (known) check(each, known, definitions, `${place}.${name}`);
    else if (schema.additionalProperties === false)
      throw new Misfit(`${place}.${name} isn't known`);
    else if (schema.additionalProperties && typeof schema.additionalProperties === 'object') {
      if (schema.propertyNames) check(name, schema.propertyNames as Schema, definitions, place);
      check(each, schema.additionalProperties as Schema, definitions, `${place}.${name}`);
    }
  }
}
