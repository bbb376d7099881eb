/** Reads a file of YAML 1.1, as Kubernetes does, and remembers the line of each field. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Tags } from 'yaml';
import { isReadTag } from '../../shared/kube/text/yaml-tags.ts';

export interface ReadYaml {
  /** The first document; `{}` for an empty file. */
  readonly document: unknown;
  /** The line of each field by its path, such as `memorySwap.swapBehavior` or `registerWithTaints[0].key`. */
  readonly lines: ReadonlyMap<string, number>;
}

interface Fault {
  readonly error: string;
  readonly line: number;
}

const READ = (tags: Tags): Tags => tags.filter(isReadTag);

const collect = (node: unknown, path: string, counter: LineCounter, lines: Map<string, number>): void => {
  if (isSeq(node))
    for (const [index, item] of node.items.entries()) collect(item, `${path}[${index}]`, counter, lines);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue;
    const inner = path === '' ? String(key.value) : `${path}.${String(key.value)}`;
    lines.set(inner, counter.linePos(key.range?.[0] ?? 0).line);
    collect(value, inner, counter, lines);
  }
};

/** The document with its lines, or what is wrong with the text. */
export const readYaml = (text: string): ReadYaml | Fault => {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { version: '1.1', customTags: READ, lineCounter, logLevel: 'silent' });
  const [fault] = document.errors;
  if (fault) {
    const [message = ''] = fault.message.split(' at line ');
    return { error: message, line: lineCounter.linePos(fault.pos[0]).line };
  }
  const lines = new Map<string, number>();
  collect(document.contents, '', lineCounter, lines);
  return { document: (document.toJS() as unknown) ?? {}, lines };
};
