/**
 * The next state of an object to which something destructive is done. `ObjectWriter.write` does not accept it; `ObjectWriter.destroy` does, and
 * asks the holds. So a path that forgets them does not compile.
 */
export interface Destroyed<T = unknown> {
  readonly destroyed: T;
}

/** For what no hold stops: the comment at the call says why. */
export const unheld = <T>({ destroyed }: Destroyed<T>): T => destroyed;
