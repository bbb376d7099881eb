/** docs/pods-on-a-machine.md has each field that the API takes, and says of it what the agent does. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainRefusals } from '../../../agent/rules/plain/refusals.ts';
import { fieldsIn } from '../../../agent/rules/pods/asked-fields.ts';
import { REFUSED_FIELDS } from '../../../agent/rules/pods/refused-fields.ts';
import { ROOTLESS_REFUSALS } from '../../../agent/rules/pods/rootless-refusals.ts';
import { schemaOf } from '../../../shared/kube/schema/schema-of.ts';

const ANSWERS = ['yes', 'refused', 'elsewhere', 'nothing'];

interface Row {
  readonly fields: readonly string[];
  readonly here: string;
  readonly remark: string;
}

const rowOf = (line: string): Row => {
  const [, fields = '', here = '', remark = ''] = line.split('|').map((cell) => cell.trim());
  return { fields: fields.match(/(?<=`)\w+(?=`)/g) ?? [], here, remark };
};

const sections = readFileSync('docs/pods-on-a-machine.md', 'utf8').split(/^## /m);

/** The rows of the table in a section. */
const rowsOf = (title: string): readonly Row[] => {
  const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map(rowOf);
};

const fieldsOf = (rows: readonly Row[]): readonly string[] => rows.flatMap(({ fields }) => fields);

const refusedIn = (title: string): readonly string[] =>
  fieldsOf(
    rowsOf(title).filter(({ here, remark }) => here === 'refused' && !remark.startsWith('the whole pod')),
  );

const below = (fields: readonly string[], parent: string): readonly string[] =>
  fields.flatMap((field) => (field.startsWith(`${parent}.`) ? field.slice(parent.length + 1) : []));

const direct = (fields: readonly string[]): readonly string[] =>
  fields.filter((field) => !field.includes('.'));

const PLAIN_FIELDS = fieldsIn(plainRefusals({ uid: 0, gid: 0 }));

/** The fields that a line of a section names. */
const namedIn = (title: string, whose: string): readonly string[] => {
  const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
  const line = section.split('\n').find((one) => one.startsWith(`- ${whose}: `)) ?? '';
  return line.match(/(?<=`)[a-z]\w*(?:\.\w+)+(?=`)|(?<=[:,] `)\w+(?=`)/g) ?? [];
};

const plainIn = (whose: string): readonly string[] => namedIn('In plain mode', whose);

/** Whether the schema of the API has the field, whose last parts are maps. */
const isInSchema = (message: string, field: string): boolean => {
  const [first = '', second] = field.split('.');
  const { fields } = schemaOf(message);
  const nested = { securityContext: `core.v1.${message === 'core.v1.PodSpec' ? 'Pod' : ''}SecurityContext` };
  if (!(first in fields) || second === undefined) return first in fields;
  const inner = first === 'securityContext' ? nested.securityContext : 'core.v1.ResourceRequirements';
  return second in schemaOf(inner).fields;
};

describe('the section about plain mode', () => {
  it('names what is refused', () => {
    const named = { pod: plainIn('the pod'), container: plainIn('a container') };
    const either = plainIn('either');
    expect([...named.pod, ...either].toSorted()).toEqual(PLAIN_FIELDS.pod.toSorted());
    expect([...named.container, ...either].toSorted()).toEqual(PLAIN_FIELDS.container.toSorted());
  });

  it.each([
    ['core.v1.PodSpec', PLAIN_FIELDS.pod],
    ['core.v1.Container', PLAIN_FIELDS.container],
  ])('has fields of the API alone: %s', (message, fields) => {
    expect(fields.filter((field) => !isInSchema(message, field))).toEqual([]);
  });
});

it('the section about agents without root names what these refuse', () => {
  const { pod, container } = fieldsIn(ROOTLESS_REFUSALS);
  expect(namedIn('Without root', 'the pod').toSorted()).toEqual(pod.toSorted());
  expect(namedIn('Without root', 'a container').toSorted()).toEqual(container.toSorted());
});

describe('J-152: the page about pods on a machine', () => {
  it.each([
    ['The pod', 'core.v1.PodSpec'],
    ['Security of the pod', 'core.v1.PodSecurityContext'],
    ['A container', 'core.v1.Container'],
    ['Security of a container', 'core.v1.SecurityContext'],
    ['A mount of a volume', 'core.v1.VolumeMount'],
  ])('has all fields: %s', (title, message) => {
    const rows = rowsOf(title);
    expect(rows.filter(({ here }) => !ANSWERS.includes(here))).toEqual([]);
    expect(fieldsOf(rows).toSorted()).toEqual(Object.keys(schemaOf(message).fields).toSorted());
  });

  it.each([
    ['The pod', direct(REFUSED_FIELDS.pod)],
    ['Security of the pod', below(REFUSED_FIELDS.pod, 'securityContext')],
    ['A container', direct(REFUSED_FIELDS.container)],
    ['Security of a container', below(REFUSED_FIELDS.container, 'securityContext')],
    ['A mount of a volume', below(REFUSED_FIELDS.container, 'volumeMounts')],
  ])('says what is refused: %s', (title, refused) => {
    expect(refusedIn(title).toSorted()).toEqual([...refused].toSorted());
  });
});
