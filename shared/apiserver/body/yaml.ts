/**
 * Reads YAML bodies as Kubernetes does: the first document only, as YAML 1.1, with members sorted by name.
 * Source: sigs.k8s.io/yaml, `YAMLToJSONStrict`.
 */
import type { Node, Pair, Tags, YAMLParseError } from 'yaml';
import { Composer, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, Parser, parse } from 'yaml';
import { MAX_BODY_VALUES } from '../../kube/json/value-limits.ts';
import { DecodeError } from '../../kube/schema/go-types.ts';
import { isReadTag } from '../../kube/text/yaml-tags.ts';
import type { Yaml } from '../contract/http.ts';

/** Most values after aliases are resolved: the limit of every body. */
const MOST_VALUES = MAX_BODY_VALUES;
const MOST_DEPTH = 1_000;

interface Reading {
  readonly lines: LineCounter;
  readonly anchors: Map<string, Node | 'open'>;
  readonly duplicates: string[];
  values: number;
}

const READ = (tags: Tags): Tags => tags.filter(isReadTag);

const OPTIONS = { version: '1.1', uniqueKeys: false, customTags: READ, logLevel: 'silent' } as const;

const tooDeep = (): DecodeError => new DecodeError(`yaml: exceeded max depth of ${MOST_DEPTH}`);

// The library is recursive, and reports a stack overflow as a syntax error.
const syntaxFault = ({ pos, message }: YAMLParseError, lines: LineCounter): DecodeError =>
  message.startsWith('Maximum call stack')
    ? tooDeep()
    : new DecodeError(`yaml: line ${lines.linePos(pos[0]).line}: ${message}`);

const firstDocument = (text: string, lines: LineCounter): Node | null => {
  const tokens = new Parser(lines.addNewLine).parse(text);
  for (const document of new Composer(OPTIONS).compose(tokens)) {
    const [error] = document.errors;
    if (error) throw syntaxFault(error, lines);
    return isNode(document.contents) ? document.contents : null;
  }
  return null;
};

const anchored = (name: string, reading: Reading): Node => {
  const node = reading.anchors.get(name);
  if (node === undefined) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
  if (node === 'open') throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
  return node;
};

const keyOf = (key: unknown): string => {
  const value = isScalar(key) ? key.value : key;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new DecodeError('yaml: unsupported map key: only strings, numbers and booleans name a field');
};

const noteDuplicate = (key: string, { value }: Pair, { lines, duplicates }: Reading): void => {
  const offset = isNode(value) ? (value.range?.[0] ?? 0) : 0;
  duplicates.push(`line ${lines.linePos(offset).line}: key ${JSON.stringify(key)} already set in map`);
};

type Members = Map<string, unknown>;

/** Counts each value, because aliases can turn a small text into an endless one. */
const spend = (reading: Reading, depth: number): void => {
  reading.values += 1;
  if (depth > MOST_DEPTH) throw tooDeep();
  if (reading.values > MOST_VALUES) throw new DecodeError('yaml: document contains excessive aliasing');
};

const merged = (value: unknown, reading: Reading, depth: number): readonly (readonly [string, unknown])[] => {
  spend(reading, depth);
  const source = isAlias(value) ? anchored(value.source, reading) : value;
  if (isSeq(source)) return source.items.toReversed().flatMap((one) => merged(one, reading, depth + 1));
  if (!isMap(source)) throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
  return [...readMembers(source.items, reading, depth + 1)];
};

/** A mapping's own members override those that `<<` merges, wherever it stands. */
const readMembers = (pairs: readonly Pair[], reading: Reading, depth: number): Members => {
  const [own, brought]: readonly [Members, Members] = [new Map(), new Map()];
  for (const pair of pairs) {
    const key = keyOf(pair.key);
    if (key === '<<')
      for (const [name, value] of merged(pair.value, reading, depth)) brought.set(name, value);
    else {
      if (own.has(key)) noteDuplicate(key, pair, reading);
      own.set(key, read(pair.value, reading, depth + 1));
    }
  }
  return new Map([...brought, ...own]);
};

const sorted = (members: Members): unknown =>
  Object.fromEntries([...members].toSorted(([one], [other]) => (one < other ? -1 : 1)));

const readScalar = (value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new DecodeError(`json: unsupported value: ${value}`);
  return typeof value === 'bigint' ? Number(value) : value;
};

const readNode = (node: Node, reading: Reading, depth: number): unknown => {
  if (isMap(node)) return sorted(readMembers(node.items, reading, depth));
  if (isSeq(node)) return node.items.map((item) => read(item, reading, depth + 1));
  return isScalar(node) ? readScalar(node.value) : null;
};

const read = (node: unknown, reading: Reading, depth: number): unknown => {
  spend(reading, depth);
  if (isAlias(node)) return read(anchored(node.source, reading), reading, depth + 1);
  if (!isNode(node)) return null;
  const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
  if (anchor !== undefined) reading.anchors.set(anchor, 'open');
  const value = readNode(node, reading, depth);
  if (anchor !== undefined) reading.anchors.set(anchor, node);
  return value;
};

/**
 * Parses a configuration to apply. Of two members with the same name the later one counts. Throws the library's
 * errors.
 */
export const parseYaml = (text: string): unknown =>
  parse(text, { maxAliasCount: 100, uniqueKeys: false }) as unknown;

const faultsOf = ({ duplicates }: Reading): readonly string[] =>
  duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${duplicates.slice(0, 100).join('\n  ')}`];

/** Parses the body of an object. Throws `DecodeError`. */
export const readYaml = (text: string): Yaml => {
  const reading: Reading = { lines: new LineCounter(), anchors: new Map(), duplicates: [], values: 0 };
  try {
    const value = read(firstDocument(text, reading.lines), reading, 0);
    return { value, faults: faultsOf(reading) };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
};
