/** What both clouds answer beside their APIs: for the hand, for tests and for hollow nodes. No fault touches it. */

import { parseCredentials, parseOutage } from '../access.ts';
import type { Behaviour } from '../behaviour.ts';
import { isHandOperation, parseJoins } from '../by-hand.ts';
import { CloudError } from '../cloud-error.ts';
import type { CloudEngine } from '../engine.ts';
import type { JsonCall } from './call.ts';

/** @throws CloudError NoSuchOperation where there is no such switch */
export function serveSwitch(
  engine: CloudEngine,
  parseBehaviour: (body: unknown) => Behaviour,
  { what, name, operation, query, body }: JsonCall,
): unknown {
  switch (what) {
    case 'GET /healthz':
      return { ok: true };
    case 'GET /ledger':
      return engine.ledger(query.get('machine') ?? undefined);
    case 'GET /instances':
      return { instances: engine.hypervisorView() };
    case 'PUT /outage':
      return engine.door.setOutage(parseOutage(body));
    case 'PUT /credentials':
      return engine.door.setCredentials(parseCredentials(body));
    case `PUT /behaviours/${name}`:
      engine.setBehaviour(name, parseBehaviour(body));
      return engine.behaviour(name);
    case `GET /behaviours/${name}`:
      return engine.behaviour(name);
    case `POST /instances/${name}/joins`:
      return { instance: engine.describe(engine.setJoins(name, parseJoins(body).joins)) };
    case `POST /instances/${name}/${operation}`:
      if (isHandOperation(operation)) return { instance: engine.describe(engine.byHand(operation, name)) };
  }
  throw new CloudError('NoSuchOperation', `The cloud has no ${what}.`);
}
