/** Writes archives. Source: POSIX ustar. */

export interface TarEntry {
  readonly path: string;
  /** Absent: a folder, or a link. */
  readonly content?: Uint8Array;
  readonly linkTo?: string;
  readonly mode?: number;
}

const BLOCK = 512;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

const typeOf = ({ content, linkTo }: TarEntry): string => {
  if (linkTo !== undefined) return '2';
  return content ? '0' : '5';
};

const header = (entry: TarEntry): Buffer => {
  const { path, content, linkTo = '', mode = content ? 0o644 : 0o755 } = entry;
  const block = Buffer.alloc(BLOCK);
  const fields: readonly (readonly [number, string])[] = [
    [0, path],
    [100, octal(mode, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(content?.length ?? 0, 12)],
    [136, octal(0, 12)],
    [148, ' '.repeat(8)],
    [156, typeOf(entry)],
    [157, linkTo],
    [257, 'ustar\x0000'],
  ];
  for (const [at, text] of fields) block.write(text, at, 'latin1');
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
    'latin1',
  );
  return block;
};

const padded = (content: Uint8Array): Buffer =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);

export const tarOf = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap((entry) => [header(entry), padded(entry.content ?? Buffer.alloc(0))]),
    Buffer.alloc(2 * BLOCK),
  ]);
