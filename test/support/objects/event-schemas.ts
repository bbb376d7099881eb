/** The schemas of docs/events, as validators. */
import { readFileSync } from 'node:fs';
// biome-ignore lint/style/noRestrictedImports: zod/mini reads no JSON Schema, and no bundle has this.
import * as z from 'zod';
import type { EventType } from '../../../shared/settings/events/event-types.ts';

export interface EventSchema {
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly properties: { readonly severity: { readonly enum: readonly string[] } };
  readonly examples: readonly object[];
}

export const schemaOf = (type: EventType): EventSchema =>
  JSON.parse(readFileSync(`docs/events/${type}.schema.json`, 'utf8')) as EventSchema;

/** What is wrong with the data of an event of a type, in words; empty if nothing is. */
export const faultsOf = (type: EventType, data: unknown): readonly string[] => {
  const schema = schemaOf(type) as unknown as Parameters<typeof z.fromJSONSchema>[0];
  const { error } = z.fromJSONSchema(schema).safeParse(data);
  return (error?.issues ?? []).map(({ path, message }) => `${type} ${path.join('.')}: ${message}`);
};
