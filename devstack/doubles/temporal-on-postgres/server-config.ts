import { stringify } from 'yaml';
import { POSTGRES_USER } from './postgres-files.ts';

/** Names of the two databases. */
export const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' } as const;

/** Into how many parts histories are divided; fixed when the database is made. Four is plenty for a test on one computer. */
const HISTORY_SHARDS = 4;

/** Ports of the four services; by those of the membership they find one another. */
export const SERVER_PORT_NAMES = [
  'frontend',
  'frontendHttp',
  'frontendMembership',
  'history',
  'historyMembership',
  'matching',
  'matchingMembership',
  'worker',
  'workerMembership',
] as const;

export type ServerPorts = Readonly<Record<(typeof SERVER_PORT_NAMES)[number], number>>;

/** Temporal's configuration file: four services on loopback, both stores in PostgreSQL. Holds the password. */
export function serverConfig(ports: ServerPorts, postgresPort: number, password: string): string {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${postgresPort}`,
      connectProtocol: 'tcp',
      user: POSTGRES_USER,
      password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const service = (grpcPort: number, membershipPort: number, more: object = {}) => ({
    rpc: { grpcPort, membershipPort, bindOnLocalHost: true, ...more },
  });
  return stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: HISTORY_SHARDS,
      datastores: { default: store(DATABASES.temporal, 20), visibility: store(DATABASES.visibility, 5) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: {
      frontend: service(ports.frontend, ports.frontendMembership, { httpPort: ports.frontendHttp }),
      history: service(ports.history, ports.historyMembership),
      matching: service(ports.matching, ports.matchingMembership),
      worker: service(ports.worker, ports.workerMembership),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports.frontend}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
  });
}
