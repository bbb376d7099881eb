/** The types of YAML that Kubernetes reads. Source: sigs.k8s.io/yaml. */

// Kubernetes reads dates and times of day as text, and the other types not at all.
const UNREAD: readonly string[] = [
  'binary',
  'merge',
  'omap',
  'pairs',
  'set',
  'timestamp',
  'intTime',
  'floatTime',
];

interface Tag {
  readonly tag: string;
  readonly format?: string;
}

/** Whether texts of a type of YAML 1.1, by its name or definition, become values of that type. */
export const isReadTag = (tag: string | Tag): boolean =>
  typeof tag === 'string'
    ? !UNREAD.includes(tag)
    : !/:(binary|merge|omap|pairs|set|timestamp)$/.test(tag.tag) && tag.format !== 'TIME';
