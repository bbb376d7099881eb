/** What differs from run to run (generated names, uids, times) becomes a text that is the same in all runs. */

/** The letters of generated names. Source: k8s.io/apimachinery, `rand.SafeEncodeString`. */
const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]{5}';
const ENDS_GENERATED = new RegExp(`^${SUFFIX}$`, 'v');
const GENERATED_INSIDE = new RegExp(`(^|[ \\/])([a-z0-9\\-]+-)${SUFFIX}(?=$|[ ,"])`, 'gv');
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/v;
const PEM = /-----BEGIN [A-Z ]+-----[^\-]*-----END [A-Z ]+-----\n?/gv;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gv;
/** Instants that are this near (ms) belong to the run; others are part of a scenario. */
const NEAR_MS = 2 * 24 * 3_600_000;

export interface Named {
  readonly metadata: { readonly name: string; readonly generateName?: string; readonly uid?: string };
}

export interface Names {
  /** Remembers an object of which other texts may speak. Gives its name, `prefix<>` if it was generated. */
  learn(kind: string, object: Named): string;
  /** A text of any object. `at`: now, ms. */
  text(given: string, at: number): string;
  /** A text that may name pods nobody has seen yet. */
  textOfPods(given: string, at: number): string;
}

const isGenerated = ({ metadata: { name, generateName = '' } }: Named): boolean =>
  generateName !== '' &&
  name.startsWith(generateName) &&
  ENDS_GENERATED.test(name.slice(generateName.length));

export const createNames = (): Names => {
  const generated = new Map<string, string>();
  const subjects = new Map<string, string>();

  const text = (given: string, at: number): string => {
    if (INSTANT.test(given)) return Math.abs(Date.parse(given) - at) < NEAR_MS ? '<time>' : given;
    let named = given.replace(PEM, '<PEM>');
    for (const [name, general] of generated) named = named.replaceAll(name, general);
    return named.replace(UID, (uid) => (subjects.has(uid) ? `<uid of ${subjects.get(uid)}>` : '<uid>'));
  };

  return {
    learn: (kind, object) => {
      const { name, generateName, uid } = object.metadata;
      if (isGenerated(object)) generated.set(name, `${generateName}<>`);
      const general = generated.get(name) ?? name;
      if (uid !== undefined) subjects.set(uid, `${kind}/${general}`);
      return general;
    },
    text,
    textOfPods: (given, at) => text(given, at).replace(GENERATED_INSIDE, '$1$2<>'),
  };
};
