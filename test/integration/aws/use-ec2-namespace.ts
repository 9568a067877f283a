import { afterAll, beforeAll } from '@jest/globals';
import { openNamespace, type OwnNamespace, type OwnNamespaceOptions } from '../lifecycle/own-namespace.ts';
import { openEc2, type OwnEc2 } from './own-ec2.ts';

export interface Ec2Namespace {
  readonly ec2: OwnEc2;
  readonly own: OwnNamespace;
}

export interface Ec2NamespaceOptions extends Pick<OwnNamespaceOptions, 'workerArgs'> {
  /** Puts what specs refer to into the namespace. @default the user-data and credentials of `ec2.providerSpec` */
  readonly prepare?: (namespace: string) => Promise<void>;
  /** EC2 has the limits of calls that it documents. @default false */
  readonly limits?: boolean;
}

const START_MS = 300_000;
const END_MS = 240_000;

/** Gives the tests of a file an EC2 and a namespace whose worker finds it, and takes both down after the last. */
export function useEc2Namespace(
  name: string,
  take: (opened: Ec2Namespace) => void,
  { prepare, limits = false, workerArgs = [] }: Ec2NamespaceOptions = {},
): void {
  let ec2: OwnEc2 | undefined;
  let own: OwnNamespace | undefined;
  beforeAll(async () => {
    ec2 = await openEc2({ limits });
    own = await openNamespace(name, { worker: { env: ec2.workerEnv(ec2.endpoint) }, workerArgs });
    await (prepare === undefined ? ec2.prepare(name) : prepare(name));
    take({ ec2, own });
  }, START_MS);
  afterAll(async () => {
    await own?.end();
    await ec2?.stop();
  }, END_MS);
}
