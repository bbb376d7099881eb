/** Addresses within the page: `#/node/a1`. Pure. */

/** A place: the view, and what it is about. */
export interface Place {
  readonly path: string;
  readonly rest: readonly string[];
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The place of a hash; the wall without one. */
export const placeOf = (hash: string): Place => {
  const [path = '', ...rest] = hash.replace(/^#?\/?/, '').split('/');
  return { path: path === '' ? 'wall' : path, rest: rest.filter((part) => part !== '').map(decoded) };
};

/** The hash of a place. */
export const hashOf = (path: string, ...rest: readonly string[]): string =>
  `#/${[path, ...rest.map(encodeURIComponent)].join('/')}`;
