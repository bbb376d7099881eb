/** The kubeconfigs that a command line or KUBECONFIG names. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { kubeTarget } from '../../shared/serving/machine/kubeconfig-file.ts';
import { type KubeconfigTarget, readKubeconfig } from '../../shared/serving/machine/read-kubeconfig.ts';
import { type CommandContext, CommandError, reasonOf } from '../shell/command.ts';

type Environment = Pick<CommandContext, 'env'>;

/** The files of KUBECONFIG that exist. Like kubectl, commands pass over the others. */
export const kubeconfigsOf = ({ env }: Environment): readonly string[] =>
  (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '' && existsSync(path));

const hasTarget = (path: string, wanted: string | undefined): boolean => {
  try {
    return kubeTarget(readFileSync(path, 'utf8'), wanted) !== undefined;
  } catch {
    return false;
  }
};

/**
 * The file of KUBECONFIG that has the context `wanted`, by default its own current one. Where none has it, the first file,
 * so that its reader says what is missing. Returns undefined without a file.
 */
export const kubeconfigWith = (wanted: string | undefined, environment: Environment): string | undefined => {
  const paths = kubeconfigsOf(environment);
  return paths.find((path) => hasTarget(path, wanted)) ?? paths[0];
};

/** The target of a context, by default the current one. Throws a `CommandError` that names the file and the reason. */
export const readTarget = (path: string, context: string | undefined): KubeconfigTarget => {
  try {
    return readKubeconfig(path, context);
  } catch (error) {
    throw new CommandError(
      `cannot use the kubeconfig ${path}: ${reasonOf(error)}. Another cluster is chosen by --kubeconfig, --folder or --stack`,
    );
  }
};
