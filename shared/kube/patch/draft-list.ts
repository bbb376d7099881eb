/** Elements per chunk. A chunk is split above twice this size, so one change moves at most twice as many elements. */
const CHUNK = 256;

/** A list for many successive changes: its elements are kept in chunks, so that a change does not move them all. */
export class DraftList {
  length: number;
  readonly #chunks: unknown[][];

  constructor(elements: readonly unknown[]) {
    this.length = elements.length;
    const count = Math.max(1, Math.ceil(elements.length / CHUNK));
    this.#chunks = Array.from({ length: count }, (_, at) => elements.slice(at * CHUNK, (at + 1) * CHUNK));
  }

  /** The chunk that holds the element at `index` (the last chunk if none does), the place in it, and its number. */
  #find(index: number): readonly [chunk: unknown[], at: number, number: number] {
    let [rest, number] = [index, 0];
    while (number < this.#chunks.length - 1 && rest >= (this.#chunks[number]?.length ?? 0)) {
      rest -= this.#chunks[number]?.length ?? 0;
      number += 1;
    }
    return [this.#chunks[number] ?? [], rest, number];
  }

  get(index: number): unknown {
    const [chunk, at] = this.#find(index);
    return chunk[at];
  }

  set(index: number, element: unknown): void {
    const [chunk, at] = this.#find(index);
    chunk[at] = element;
  }

  insert(index: number, element: unknown): void {
    const [chunk, at, number] = this.#find(index);
    chunk.splice(at, 0, element);
    if (chunk.length > 2 * CHUNK) this.#chunks.splice(number + 1, 0, chunk.splice(CHUNK));
    this.length += 1;
  }

  remove(index: number): void {
    const [chunk, at, number] = this.#find(index);
    chunk.splice(at, 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(number, 1);
    this.length -= 1;
  }

  elements(): readonly unknown[] {
    return this.#chunks.flat();
  }
}
