/** What the outputs of a stack say of its state. */

type Outputs = Readonly<Record<string, string>>;

/** The generation of its tables. Stacks of earlier versions do not say it. */
export const generationIn = ({ StateGeneration: generation }: Outputs): number => Number(generation ?? 1);

/** Whether no function is started. */
export const isPausedIn = ({ Paused: paused }: Outputs): boolean => paused === 'true';
