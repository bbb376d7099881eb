/** What the functions need on AWS, taken away from the synthesized template: a scenario must then fail, or the emulator sees nothing. */
import { readFileSync, writeFileSync } from 'node:fs';

interface Statement {
  Action: string | string[];
}

interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
}

type Resources = Readonly<Record<string, Resource>>;

/** A change of a template, and the file of the suite that finds it. */
export interface Mutation {
  readonly file: string;
  /** Whether it has found what it takes away. */
  take(resources: Resources): boolean;
}

const functionOf = (resources: Resources, folder: string): Resource | undefined =>
  Object.values(resources).find(
    ({ Properties }) => Properties['Description'] === `Rollcall: lambdas/${folder}`,
  );

const policiesOf = (resources: Resources, folder: string): readonly Statement[] => {
  const role = functionOf(resources, folder)?.Properties['Role'] as
    | { 'Fn::GetAtt'?: readonly string[] }
    | undefined;
  const [roleId = ''] = role?.['Fn::GetAtt'] ?? [];
  return Object.values(resources)
    .filter(
      ({ Type, Properties }) =>
        Type === 'AWS::IAM::Policy' && JSON.stringify(Properties['Roles']).includes(`"${roleId}"`),
    )
    .flatMap(({ Properties }) => (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement);
};

const takeAction = (statements: readonly Statement[], action: string): boolean => {
  const found = statements.filter((statement) => [statement.Action].flat().includes(action));
  for (const statement of found) {
    const others = [statement.Action].flat().filter((one) => one !== action);
    // A statement has one action at least.
    statement.Action = others.length > 0 ? others : 'dynamodb:DescribeLimits';
  }
  return found.length > 0;
};

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  grant: {
    file: 'nodes/lifecycle.int.test.ts',
    take: (resources) => takeAction(policiesOf(resources, 'node-eviction'), 'dynamodb:UpdateItem'),
  },
  'recursive-loop': {
    file: 'nodes/lost-zone.int.test.ts',
    take: (resources) => {
      const properties = functionOf(resources, 'node-eviction')?.Properties;
      return properties?.['RecursiveLoop'] !== undefined && delete properties['RecursiveLoop'];
    },
  },
};

/** Changes the template in its file. Throws if there is nothing to take away. */
export const mutate = (template: string, { take }: Mutation): void => {
  const parsed = JSON.parse(readFileSync(template, 'utf8')) as { readonly Resources: Resources };
  if (!take(parsed.Resources)) throw new Error(`${template} has nothing that the mutation could take away`);
  writeFileSync(template, JSON.stringify(parsed));
};
