import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, SEVERITIES } from '../../../../shared/settings/events/event-types.ts';
import { faultsOf, schemaOf } from '../../../support/objects/event-schemas.ts';

describe.each(EVENT_TYPES)('the schema of %s', (type) => {
  const schema = schemaOf(type);

  it('names itself, and severities that exist', () => {
    expect(schema).toMatchObject({ title: type, $id: `https://rollcall.dev/events/${type}.schema.json` });
    expect(schema.properties.severity.enum.filter((one) => !SEVERITIES.some((s) => s === one))).toEqual([]);
  });

  it('has an example that it accepts, and refuses what has a field too many or too few', () => {
    const [example] = schema.examples;
    expect(schema.examples).toHaveLength(1);
    expect(faultsOf(type, example)).toEqual([]);
    expect(faultsOf(type, { ...example, unknown: 1 })).not.toEqual([]);
    expect(faultsOf(type, { ...example, message: undefined })).not.toEqual([]);
    expect(faultsOf(type, { ...example, severity: 'loud' })).not.toEqual([]);
  });
});

it('the page of events lists exactly the types that have schemas, and that exist', () => {
  const files = globSync('docs/events/*.schema.json').map((path) => basename(path, '.schema.json'));
  const rows = readFileSync('docs/events.md', 'utf8').match(/(?<=^\| \[`)\w+(?=`\])/gm);
  expect(files.toSorted()).toEqual(EVENT_TYPES.toSorted());
  expect(rows).toEqual(EVENT_TYPES);
});
