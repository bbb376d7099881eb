/** What was seen of the watched objects, as texts that two runs have in common. */
import { differenceOf, type Fields, fieldsOf, type JsonObject, normalised } from './fields.ts';
import { createNames } from './names.ts';

export interface Seen extends JsonObject {
  readonly metadata: JsonObject & {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
}

/** By what happened: the instants, in seconds, in order. */
export type Happenings = Readonly<Record<string, readonly number[]>>;

export interface History {
  /** An object was made or changed. `at`: now, ms. */
  present(kind: string, object: Seen, at: number): void;
  gone(kind: string, object: Seen, at: number): void;
  /** Only the first of Events that say the same of an object counts: others may be counted up, or be Events of their own. */
  event(event: Seen, at: number): void;
  /**
   * What happened since `zero` (ms). Changes of an object that follow each other at most `together` seconds later count as one: two writes
   * or one are alike.
   */
  happenings(zero: number, together: number): Happenings;
  /** The objects that are there and whose names were not generated. */
  finals(at: number): Readonly<Record<string, unknown>>;
}

/** A version of an object; without fields: it went. */
interface Version {
  readonly at: number;
  readonly fields?: Fields;
  readonly object?: unknown;
}

interface Life {
  readonly subject: string;
  readonly versions: Version[];
}

interface Told {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

const namespaced = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === 'default' ? name : `${namespace}/${name}`;

/** As in recordings: no status rather than an empty one. */
const withoutEmptyStatus = (object: JsonObject): JsonObject => {
  const { status, ...rest } = object;
  return status === undefined || Object.keys(status as JsonObject).length === 0 ? rest : object;
};

function* happeningsOf({ subject, versions }: Life, together: number): Generator<[string, number]> {
  let before: Fields | undefined;
  for (let index = 0; index < versions.length; index += 1) {
    const { at, fields, object } = versions[index] as Version;
    if (fields === undefined) yield [`${subject}: deleted`, at];
    else if (before === undefined) yield [`${subject}: added ${JSON.stringify({ object })}`, at];
    else {
      while (isTogether(versions[index], versions[index + 1], together)) index += 1;
      const difference = differenceOf(before, versions[index]?.fields ?? before);
      if (difference) yield [`${subject}: changed ${JSON.stringify(difference)}`, at];
    }
    before = versions[index]?.fields;
  }
}

const isTogether = (one: Version | undefined, next: Version | undefined, together: number): boolean =>
  one !== undefined && next?.fields !== undefined && (next.at - one.at) / 1_000 <= together;

const grouped = (all: Iterable<[string, number]>, zero: number): Happenings => {
  const found = new Map<string, number[]>();
  for (const [text, at] of all) {
    if (at < zero) continue;
    const instants = found.get(text) ?? [];
    found.set(text, [...instants, Math.round((at - zero) / 10) / 100]);
  }
  return Object.fromEntries([...found].map(([text, instants]) => [text, instants.toSorted((a, b) => a - b)]));
};

export interface Ignored {
  /** Names of fields of `spec`. */
  readonly fields: readonly string[];
  /** Components whose Events are left out. */
  readonly sources: readonly string[];
}

export const createHistory = (ignored: Ignored): History => {
  const names = createNames();
  const lives = new Map<string, Life>();
  const live = new Map<string, { readonly subject: string; readonly object: Seen }>();
  const told: [string, number][] = [];
  const known = new Set<string>();

  const normal = ({ apiVersion: _version, kind: _kind, metadata, ...rest }: JsonObject, at: number) => {
    const spec = Object.entries((rest['spec'] ?? {}) as JsonObject).filter(
      ([name]) => !ignored.fields.includes(name),
    );
    const kept = rest['spec'] === undefined ? rest : { ...rest, spec: Object.fromEntries(spec) };
    return normalised({ metadata: metadata ?? {}, ...kept }, (text) => names.text(text, at)) as JsonObject;
  };

  const keyOf = (kind: string, { metadata }: Seen): string =>
    `${kind}|${metadata.namespace ?? ''}/${metadata.name}`;

  const lifeOf = (kind: string, object: Seen): Life => {
    const key = keyOf(kind, object);
    const name = names.learn(kind, object);
    const life = lives.get(key) ?? {
      subject: `${kind}/${namespaced(object.metadata.namespace, name)}`,
      versions: [],
    };
    lives.set(key, life);
    return life;
  };

  const present = (kind: string, object: Seen, at: number): void => {
    const life = lifeOf(kind, object);
    live.set(keyOf(kind, object), { subject: life.subject, object });
    const whole = withoutEmptyStatus(normal(object, at));
    const fields = fieldsOf(whole);
    const last = life.versions.at(-1)?.fields;
    if (last === undefined || differenceOf(last, fields)) life.versions.push({ at, fields, object: whole });
  };

  const event = (given: Seen, at: number): void => {
    const { involvedObject = {}, type, reason, message = '', source, reportingComponent } = given as Told;
    const { kind = '', name = '', uid = '' } = involvedObject;
    const subject = kind === 'Pod' ? names.textOfPods(`Pod/${name}`, at) : `${kind}/${names.text(name, at)}`;
    const said = /pod|assigned/iv.test(message) ? names.textOfPods(message, at) : names.text(message, at);
    const component = source?.component || reportingComponent || '';
    if (ignored.sources.includes(component)) return;
    const detail = { message: said, source: component };
    const happening = `event/${subject}: ${type} ${reason} ${JSON.stringify(detail)}`;
    const occasion = `${uid} ${reason} ${message}`;
    if (!known.has(occasion)) told.push([happening, at]);
    known.add(occasion);
  };

  return {
    present,
    gone: (kind, object, at) => {
      const key = keyOf(kind, object);
      if (live.delete(key)) lives.get(key)?.versions.push({ at });
    },
    event,
    happenings: (zero, together) => {
      const ofLives = [...lives.values()].flatMap((life) => [...happeningsOf(life, together)]);
      return grouped([...ofLives, ...told], zero);
    },
    finals: (at) =>
      Object.fromEntries(
        [...live.values()]
          .filter(({ subject }) => !subject.includes('<'))
          .map(({ subject, object }) => [subject, normal(object, at)]),
      ),
  };
};
