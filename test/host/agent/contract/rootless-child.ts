/** The process of a user who is not root, which has a runtime of OCI bundles in the folder that it is given. Its parent asks by messages. */
import { ociRuntimeIn } from './oci-here.ts';

export interface Asked {
  readonly number: number;
  readonly method: string;
  readonly words: readonly unknown[];
}

/** An answer, or the pod of which something has changed. */
export type Told =
  | { readonly number: number; readonly value?: unknown }
  | { readonly number: number; readonly message: string }
  | { readonly changed: string }
  | { readonly isReady: true };

type Call = (...words: readonly unknown[]) => Promise<unknown>;

const tell = (told: Told): void => {
  process.send?.(told);
};

const [, , folder = ''] = process.argv;
const runtime = await ociRuntimeIn(folder);
const calls = { ...runtime, ...runtime.streams, exec: runtime.exec } as unknown as Readonly<
  Record<string, Call>
>;
runtime.onChange((changed) => tell({ changed }));
process.on('message', ({ number, method, words }: Asked) => {
  void calls[method]?.(...words).then(
    (value) => tell({ number, value }),
    (error: unknown) => tell({ number, message: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
tell({ isReady: true });
