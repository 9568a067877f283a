import { RARE_GARBAGE_COLLECTION } from '../../environment.ts';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** The API server's store. Not synced to disk at every write: a crash of the whole computer may cost the cluster. */
export function etcd({ files, ports, binary }: StackContext): ProcessSpec {
  const clients = `http://127.0.0.1:${ports.etcd}`;
  const peers = `http://127.0.0.1:${ports['etcd-peer']}`;
  return {
    name: 'etcd',
    command: binary('etcd'),
    env: RARE_GARBAGE_COLLECTION,
    args: [
      '--name=millwright',
      `--data-dir=${files.etcd}`,
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=millwright=${peers}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    isReady: () => answersOk({ url: `${clients}/health` }),
  };
}
