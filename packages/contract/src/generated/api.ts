// Generated from openapi/ by pnpm generate. Never edit it.

export interface paths {
    "/orgs/list-session-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List session logs
         * @description Lists the project's sessions that ended in the last 30 days, newest first, at most 1000.
         *     An entry is written when a session has ended.
         */
        post: operations["listSessionLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orgs/list-connection-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List connection logs
         * @description Lists the project's connections that ended in the last 30 days, newest first, at most 1000.
         *     An entry is written when a connection has ended.
         */
        post: operations["listConnectionLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orgs/list-api-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List API logs
         * @description Lists the calls of this service's own operations in the last 30 days, newest first, at most
         *     1000. An entry is written when a call has been answered, also when it failed.
         *
         *     Calls that the rate limit or an earlier check refused share entries: for each key, operation
         *     and status, the first call of a minute has its own entry, and the others share one with
         *     their `count` when the minute is over. Calls with a revoked key have none.
         */
        post: operations["listApiLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orgs/list-media-api-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List media API logs
         * @description Lists the calls that were passed on to the media service's own API in the last 30 days,
         *     newest first, at most 1000. An entry is written when a call has been answered or has failed.
         */
        post: operations["listMediaApiLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orgs/list-webhook-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List webhook logs
         * @description Lists the webhooks sent to the project's own addresses in the last 30 days, newest first, at
         *     most 1000. There is one entry for each try of a delivery. Webhooks appear here only: there is
         *     no endpoint for events.
         */
        post: operations["listWebhookLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/create-access-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an access token
         * @description Creates a JWT access token for the project that owns the API key. No field is required.
         *     Integers are sent as JSON numbers, the others as JSON strings.
         *
         *     1. When `jwt_id` is given, it must be a UUID.
         *     2. When `jwt_id` is not given, the service generates a UUID and puts it in the `jti` claim.
         *     3. `max_channel_connections` applies per connection: a connection using a token whose value
         *        is N cannot be made when the channel already has N or more connections. For N = 1, a
         *        connection cannot be made if the channel already has at least 1 connection.
         *     4. When `max_channel_connections` is 0, every connection attempt with that token fails.
         *     5. `not_before` and `expiration_time` are RFC 3339 strings, including a time-zone offset
         *        form; numeric values are not accepted.
         *
         *     The token itself is not stored, and a call may be repeated: each makes a token of its own. A
         *     member that is not known is refused with 400: a misspelt `expiration_time` would otherwise create a
         *     token that never ends. A `jwt_id` that was revoked is refused with 409.
         */
        post: operations["createAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orgs/list-event-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List event logs
         * @description Lists what happened to sessions, connections and clients in the last 30 days, newest first, at
         *     most 1000: what the media server reported, and the clients that were refused, each with its
         *     outcome and the reason. It is searched, paged and followed like the other logs.
         *
         *     The reports that a connection sends once a minute (`connection.updated`) are left out. If a
         *     client is refused repeatedly, the first refusal of a minute with the same channel and reason has its
         *     own entry, and the others share one every 4 seconds with their `count`. If a project has more than
         *     40 such clients in a minute, the others share entries without client, and from the third such
         *     channel on, without channel, too.
         */
        post: operations["listEventLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orgs/list-live-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List live channels
         * @description Lists the channels that have connections now, those with the most first: how many, by role,
         *     since when, and how many the tokens of their clients allow. With `channel_id` or `channel`, the answer
         *     has the connections of that channel. Clients are admitted by the same counts.
         */
        post: operations["listLiveChannels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orgs/count-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count log entries
         * @description Counts the entries of a log by time and by field, in the whole range: how many there are, how
         *     many failed, their bytes, minutes and processing times. Counts and sums are exact; percentiles
         *     deviate from the true value by at most 2%.
         *
         *     A count that takes long answers with the part of the range that it has counted: see
         *     `complete`.
         */
        post: operations["countLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/list-access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List access tokens
         * @description Lists the access tokens that this service has issued and that clients can still use, newest first:
         *     their ids, channels, roles, limits and times, and who requested them. The tokens themselves are not
         *     stored. Tokens that a program has signed by itself with the API key are not known.
         *
         *     A token is listed until it has ended; one that never ends, for a year.
         */
        post: operations["listAccessTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/revoke-access-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke access tokens
         * @description Ends a token (`jwt_id`), or all tokens for a channel that were issued before a time (`channel_id`).
         *     From `effective_by` on, no process of the service admits a client with such a token. Connections
         *     that exist stay, unless `disconnect` is true. Revoking again changes nothing.
         *
         *     With `channel_id`, tokens without a channel are refused in this channel, too, if they were issued
         *     before the time. Token times are in whole seconds: tokens that were issued in the same second are
         *     revoked as well.
         *
         *     A token that the service has no record of is refused for a year (366 days): one that was signed
         *     offline, or issued more than a year ago. If it ends later or never, revoke the key that signed it.
         *     A project has at most 1,000,000 revocations at a time, and further ones are refused with 409. To end
         *     that many tokens, revoke the key that signed them, or the tokens of a channel.
         */
        post: operations["revokeAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/check-access-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check an access token
         * @description Reports whether a token is good now, and if not, why; with the members of RFC 7662. `admission` is
         *     what a client with this token would be answered now. Nothing is changed, and no seat is taken.
         */
        post: operations["checkAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/list-access-token-revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List revocations of access tokens
         * @description Lists what was revoked, newest first, for programs that verify tokens themselves. A
         *     revocation is listed until a day after the token would have ended; if the service has no record of
         *     the token, for a year; those of channels, and of tokens that never end, always.
         */
        post: operations["listAccessTokenRevocations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public keys of a project
         * @description The public keys that verify the access tokens of a project, as a JSON Web Key Set
         *     (RFC 7517). It is empty if the project's tokens are signed with its API keys (HS256), which
         *     have no public part. No API key is needed.
         */
        get: operations["getSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/list-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List webhook deliveries
         * @description Lists the deliveries of events to the project's event webhook, newest first, each with its attempts
         *     and the time of the next one. Delivered ones are kept for a day, failed ones for 30 days.
         */
        post: operations["listDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/resend-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend webhooks
         * @description Sends an event again (`delivery_id` or `event_id`), or all events since a time whose delivery has
         *     failed (`since`). Many are queued a part at a time. They are sent in their order, one at a time and at
         *     most 200 a second, and new events go on meanwhile. Receivers recognise a repeat by its `webhook-id`,
         *     which is the same. What fails again is retried like a new event.
         */
        post: operations["resendDeliveries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/list-webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List webhook endpoints
         * @description Lists the project's own webhook addresses, each with its state: `ok`, `failing` since a time, or
         *     switched `off` because the receiver answered 410 Gone.
         */
        post: operations["listWebhookEndpoints"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/enable-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch a webhook endpoint on
         * @description Switches an endpoint on again that was switched off. One that is on stays on. Events that failed
         *     meanwhile are not sent by this: resend them.
         */
        post: operations["enableWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/list-audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the audit log
         * @description Lists who changed what in the project, newest first: revocations, resends, endpoints that were
         *     switched on, calls of the media server's API that disconnect clients, what the operator changed,
         *     and what of these was refused. Entries are kept for a year.
         */
        post: operations["listAuditLog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intake/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A client wants to connect
         * @description Admits or refuses the client by the access token in `metadata` (or `auth_metadata`), and asks
         *     the project's own auth address, if it has one. Always answered with 200; a refusal gives the
         *     reason.
         */
        post: operations["auth"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intake/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something happened to a session
         * @description `session.destroyed` becomes an entry of the session log. The webhook is forwarded at once to
         *     the project's own session address, whose answer is returned.
         */
        post: operations["session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intake/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something happened to a connection
         * @description `connection.destroyed` becomes an entry of the connection log. The webhook is queued for the
         *     project's own event address, and is delivered there at least once.
         */
        post: operations["event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intake/{intake_key}/auth": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The intake key, for senders that can configure only a URL. It is never logged.
                 * @example <INTAKE_KEY>
                 */
                intake_key: components["parameters"]["IntakeKey"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A client wants to connect
         * @description The same as `/intake/auth`, with the key in the path.
         */
        post: operations["authByPath"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intake/{intake_key}/session": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The intake key, for senders that can configure only a URL. It is never logged.
                 * @example <INTAKE_KEY>
                 */
                intake_key: components["parameters"]["IntakeKey"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something happened to a session
         * @description The same as `/intake/session`, with the key in the path.
         */
        post: operations["sessionByPath"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/intake/{intake_key}/event": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The intake key, for senders that can configure only a URL. It is never logged.
                 * @example <INTAKE_KEY>
                 */
                intake_key: components["parameters"]["IntakeKey"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something happened to a connection
         * @description The same as `/intake/event`, with the key in the path.
         */
        post: operations["eventByPath"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media-api": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the media server's API
         * @description Forwards a call to the media server, and returns its answer unchanged. The channel must
         *     belong to the project of the API key, and the service's operator must allow the operation; by
         *     default `DisconnectChannel`, `DisconnectConnection` and `ListChannelConnections`. On the
         *     public listener.
         */
        post: operations["callMediaApi"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description An identifier, at most 255 bytes.
         * @example 0J9V6TQ2M4EXK7C3R8ZB5HW1NA
         */
        Id: string;
        /**
         * @description The channel, at most 255 bytes. Clients choose it: if it is not of the form
         *     `<channel_name>@<project_id>`, or the project is unknown, it belongs to no project.
         * @example lobby@demo
         */
        AnyChannelId: string;
        /**
         * @description A number of connections.
         * @example 3
         */
        Count: number;
        /**
         * Format: int64
         * @description A time in whole seconds since 1970.
         * @example 1775035815
         */
        UnixSeconds: number;
        /**
         * Format: int64
         * @description A volume in bytes.
         * @example 48211904
         */
        Bytes: number;
        /** @description Any value. The client puts its token there: `{"access_token": "<JWT>"}`. */
        Metadata: unknown;
        /** @description A client that wants to connect. It has no `type` and no `session_id`. */
        AuthRequest: {
            timestamp?: components["schemas"]["Timestamp"];
            version?: components["schemas"]["Label"];
            label?: components["schemas"]["Label"];
            node_name?: components["schemas"]["Label"];
            role: components["schemas"]["Role"];
            channel_id: components["schemas"]["AnyChannelId"];
            connection_id: components["schemas"]["Id"];
            client_id?: components["schemas"]["Id"];
            bundle_id?: components["schemas"]["Id"];
            multistream?: components["schemas"]["Switch"];
            simulcast?: components["schemas"]["Switch"];
            spotlight?: components["schemas"]["Switch"];
            data_channel_signaling?: components["schemas"]["Switch"];
            ignore_disconnect_websocket?: components["schemas"]["Switch"];
            e2ee?: components["schemas"]["Switch"];
            audio?: components["schemas"]["Track"];
            video?: components["schemas"]["Track"];
            metadata?: components["schemas"]["Metadata"];
            auth_metadata?: components["schemas"]["Metadata"];
            channel_connections?: components["schemas"]["Count"];
            channel_sendrecv_connections?: components["schemas"]["Count"];
            channel_sendonly_connections?: components["schemas"]["Count"];
            channel_recvonly_connections?: components["schemas"]["Count"];
        };
        /**
         * @description The role of the connection, such as `sendrecv`, `sendonly` or `recvonly`.
         * @example sendrecv
         */
        Role: string;
        /** @description Whether the connection uses this feature. */
        Switch: boolean;
        /** @description Whether there is such a track, or its codec. */
        Track: boolean | Record<string, never>;
        /** @description Whether the client is admitted. Other members of the answer of the project's own address are included. */
        AuthAnswer: {
            /** @description Whether the client is admitted. */
            allowed: boolean;
            /**
             * @description The reason of a refusal. Contains no secret.
             * @example The token is for another channel.
             */
            reason?: string;
            /** @description The client id of the connection, set by the project's own address. */
            client_id?: unknown;
            /** @description Included in the connection's events, set by the project's own address. */
            event_metadata?: unknown;
        };
        /**
         * @description A name set by the media server.
         * @example node-1
         */
        Label: string;
        /** @description The members that all events have. */
        Event: {
            /**
             * @description The kind: `<object>.<action>`.
             * @example recording.started
             */
            type: string;
            id: components["schemas"]["Id"];
            timestamp?: components["schemas"]["Timestamp"];
            version?: components["schemas"]["Label"];
            label?: components["schemas"]["Label"];
            node_name?: components["schemas"]["Label"];
            channel_id?: components["schemas"]["AnyChannelId"];
            session_id?: components["schemas"]["Id"];
            connection_id?: components["schemas"]["Id"];
            client_id?: components["schemas"]["Id"];
            bundle_id?: components["schemas"]["Id"];
            role?: components["schemas"]["Role"];
            event_metadata?: components["schemas"]["Metadata"];
        };
        /** @description An event of an unknown kind. */
        OtherEvent: components["schemas"]["Event"] & {
            type?: unknown;
        };
        /** @description A session began or ended, or its node died. */
        SessionEvent: components["schemas"]["SessionCreated"] | components["schemas"]["SessionDestroyed"] | components["schemas"]["SessionVanished"] | components["schemas"]["OtherEvent"];
        /** @description A channel got its first connection. */
        SessionCreated: components["schemas"]["Event"] & {
            /** @constant */
            type?: "session.created";
            channel_id: components["schemas"]["AnyChannelId"];
            session_id: components["schemas"]["Id"];
            multistream?: components["schemas"]["Switch"];
            spotlight?: components["schemas"]["Switch"];
            created_time?: components["schemas"]["UnixSeconds"];
            created_timestamp?: components["schemas"]["Timestamp"];
            session_metadata?: components["schemas"]["Metadata"];
        };
        /** @description A session has ended. */
        SessionDestroyed: components["schemas"]["Event"] & {
            /** @constant */
            type?: "session.destroyed";
            timestamp: components["schemas"]["Timestamp"];
            channel_id: components["schemas"]["AnyChannelId"];
            session_id: components["schemas"]["Id"];
            multistream?: components["schemas"]["Switch"];
            spotlight?: components["schemas"]["Switch"];
            created_time?: components["schemas"]["UnixSeconds"];
            created_timestamp: components["schemas"]["Timestamp"];
            destroyed_time?: components["schemas"]["UnixSeconds"];
            destroyed_timestamp: components["schemas"]["Timestamp"];
            max_connections: components["schemas"]["Count"];
            total_connections: components["schemas"]["Count"];
            session_metadata?: components["schemas"]["Metadata"];
            connections?: unknown[];
        };
        /** @description A node died, and every session on it is gone. */
        SessionVanished: components["schemas"]["Event"] & {
            /** @constant */
            type?: "session.vanished";
            node_name: components["schemas"]["Label"];
        };
        /** @description The answer of the project's own address. */
        SessionAnswer: {
            /** @description Included in the session's webhooks. */
            session_metadata?: unknown;
        };
        /** @description An event of a connection. */
        ConnectionEvent: components["schemas"]["ConnectionCreated"] | components["schemas"]["ConnectionUpdated"] | components["schemas"]["ConnectionDestroyed"] | components["schemas"]["ConnectionFailed"] | components["schemas"]["OtherEvent"];
        /** @description A client has connected. */
        ConnectionCreated: components["schemas"]["Event"] & {
            /** @constant */
            type?: "connection.created";
            channel_id: components["schemas"]["AnyChannelId"];
            connection_id: components["schemas"]["Id"];
            data?: components["schemas"]["ConnectionData"];
        };
        /** @description The state of a connection, sent once a minute for each. */
        ConnectionUpdated: components["schemas"]["Event"] & {
            /** @constant */
            type?: "connection.updated";
            channel_id: components["schemas"]["AnyChannelId"];
            connection_id: components["schemas"]["Id"];
            data?: components["schemas"]["ConnectionData"];
        };
        /** @description A connection has ended. */
        ConnectionDestroyed: components["schemas"]["Event"] & {
            /** @constant */
            type?: "connection.destroyed";
            timestamp: components["schemas"]["Timestamp"];
            channel_id: components["schemas"]["AnyChannelId"];
            session_id: components["schemas"]["Id"];
            connection_id: components["schemas"]["Id"];
            data: components["schemas"]["EndedConnectionData"];
        };
        /** @description A connection could not be made. */
        ConnectionFailed: components["schemas"]["Event"] & {
            /** @constant */
            type?: "connection.failed";
            data?: components["schemas"]["ConnectionData"];
        };
        /** @description The figures of a connection. */
        ConnectionData: {
            minutes?: components["schemas"]["Count"];
            created_time?: components["schemas"]["UnixSeconds"];
            created_timestamp?: components["schemas"]["Timestamp"];
            total_received_bytes?: components["schemas"]["Bytes"];
            total_sent_bytes?: components["schemas"]["Bytes"];
            channel_connections?: components["schemas"]["Count"];
            channel_sendrecv_connections?: components["schemas"]["Count"];
            channel_sendonly_connections?: components["schemas"]["Count"];
            channel_recvonly_connections?: components["schemas"]["Count"];
            turn_transport_type?: components["schemas"]["Label"];
            reason?: components["schemas"]["Label"];
        };
        /** @description The same, of a connection that has ended. */
        EndedConnectionData: components["schemas"]["ConnectionData"] & {
            created_timestamp: components["schemas"]["Timestamp"];
            destroyed_time?: components["schemas"]["UnixSeconds"];
            destroyed_timestamp: components["schemas"]["Timestamp"];
            total_received_bytes: components["schemas"]["Bytes"];
            total_sent_bytes: components["schemas"]["Bytes"];
        };
        /** @description Empty; nothing more is reported. */
        EventAnswer: Record<string, never>;
        /** @description The parameters of the operation. Unknown members are forwarded. */
        MediaApiRequest: {
            channel_id: components["schemas"]["ChannelId"];
        };
        /**
         * @description What happened to a session, a connection or a client. A member is absent if it is not known or
         *     has no meaning for the event.
         */
        EventLogEntry: {
            /** @description When it happened, by the media server's clock if the event has a timestamp. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description The kind of event, `<object>.<action>`: those of the media server, such as
             *     `connection.created`, `connection.destroyed`, `connection.failed`, `session.created` and
             *     `session.destroyed`; `admission.refused` for a client that was refused; and, for each
             *     session and connection on a node that died, `session.vanished` and `connection.vanished`.
             * @example connection.failed
             * @example admission.refused
             */
            type: string;
            /**
             * @description The channel.
             * @example lobby@demo
             */
            channel_id?: string;
            /**
             * @description The session.
             * @example 7N3DS2KQ4H1WZ9M5XG8TCVB6RY
             */
            session_id?: string;
            /**
             * @description The connection. For several refusals, that of the last one.
             * @example 0J9V6TQ2M4EXK7C3R8ZB5HW1NA
             */
            connection_id?: string;
            /**
             * @description The client. Absent if it gave no id of its own.
             * @example stage-camera-2
             */
            client_id?: string;
            /**
             * @description The bundle. Absent if the client gave none.
             * @example stage
             */
            bundle_id?: string;
            /**
             * @description The role of the connection, such as `sendrecv`, `sendonly` or `recvonly`.
             * @example recvonly
             */
            role?: string;
            /**
             * @description The media server's node.
             * @example node-1
             */
            node_name?: string;
            /**
             * @description `refused` if a client was not admitted, `failed` if a connection could not be made, broke
             *     or vanished, `ok` otherwise.
             * @enum {string}
             */
            outcome: "ok" | "refused" | "failed";
            reason?: components["schemas"]["EventReason"];
            /**
             * @description The media server's own word for the reason.
             * @example ICE-TIMEOUT
             */
            media_reason?: string;
            /**
             * @description What the reason leaves open, such as how many connections a full channel has.
             * @example 5 of 5
             */
            detail?: string;
            /**
             * @description The `jti` of the client's token. The token itself is in no log.
             * @example 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11
             */
            jwt_id?: string;
            /**
             * @description The id of the API key that signed the token, as the token names it.
             * @example k7Qm2xVb
             */
            key_id?: string;
            /**
             * @description How long the session or connection had existed, in milliseconds.
             * @example 20012
             */
            elapsed_time_ms?: number;
            /**
             * @description How many refusals the entry stands for. Absent if it is one.
             * @example 1666
             */
            count?: number;
            /**
             * @description The id of the media server's event, which its webhooks also have.
             * @example 2M4EXK7C4R8ZB5HW1NA0J9V6TQ
             */
            event_id?: string;
        };
        /**
         * @description Why it happened. Refused: `no-token`; `malformed`, `bad-signature`, `unknown-key`, `revoked-key`
         *     (its key was revoked), `revoked` (the token itself was), `expired` and `not-yet-valid` tokens; a token for another channel or role (`wrong-channel`,
         *     `wrong-role`); `limit-0`, a token that allows no connection; `channel-full`; `own-address`,
         *     the project's own auth address refused; `unknown-project`, the channel belongs to no project of
         *     this service, and the token to this one. Failed or ended: what the media server
         *     reported (`media_reason`) in one of these words, `other` if none fits, and `node-gone` if the
         *     node died. Absent if nothing is known, as for a connection that its client ended.
         * @example ice-timeout
         * @enum {string}
         */
        EventReason: "no-token" | "malformed" | "bad-signature" | "unknown-key" | "revoked-key" | "revoked" | "expired" | "not-yet-valid" | "wrong-channel" | "wrong-role" | "limit-0" | "channel-full" | "own-address" | "unknown-project" | "ice-timeout" | "ice-failed" | "dtls-failed" | "signaling-lost" | "timeout" | "lifetime-expired" | "disconnected-by-api" | "node-gone" | "other";
        /**
         * @description Conditions on the fields of event log entries, which must all hold. An entry without a field
         *     meets no condition on it, except `not`.
         */
        EventLogWhere: {
            timestamp?: components["schemas"]["TimeTest"];
            type?: components["schemas"]["TextTest"];
            channel_id?: components["schemas"]["TextTest"];
            /** @description The channel's name: `channel_id` without the last `@` and what follows. */
            channel?: components["schemas"]["TextTest"];
            session_id?: components["schemas"]["TextTest"];
            connection_id?: components["schemas"]["TextTest"];
            client_id?: components["schemas"]["TextTest"];
            bundle_id?: components["schemas"]["TextTest"];
            role?: components["schemas"]["TextTest"];
            node_name?: components["schemas"]["TextTest"];
            outcome?: components["schemas"]["TextTest"];
            /** @description Whether `outcome` is not `ok`. */
            failed?: boolean;
            reason?: components["schemas"]["TextTest"];
            media_reason?: components["schemas"]["TextTest"];
            detail?: components["schemas"]["TextTest"];
            jwt_id?: components["schemas"]["TextTest"];
            key_id?: components["schemas"]["TextTest"];
            elapsed_time_ms?: components["schemas"]["NumberTest"];
            count?: components["schemas"]["NumberTest"];
            event_id?: components["schemas"]["TextTest"];
        };
        /** @description Which event log entries to list. All members are optional. */
        ListEventLogsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Entries with this `timestamp` or a later one, compared with all digits. Before the
             *     last 30 days, the last 30 days are meant.
             */
            since?: components["schemas"]["Moment"];
            /** @description Entries with an earlier `timestamp` than this, compared with all digits. */
            until?: components["schemas"]["Moment"];
            /** @description How many entries a page has at most; 1000 if left out. */
            limit?: number;
            /**
             * @description Which entries come first, `newest` if left out.
             * @enum {string}
             */
            order?: "newest" | "oldest";
            /**
             * @description Continues an earlier listing with the same other members, except `limit` and
             *     `wait_s`: the value of its `x-next-cursor` or `x-follow-cursor`.
             */
            cursor?: string;
            /**
             * @description How many seconds the call is held until something new matches; 0 if left out. Only with a
             *     cursor that follows the log.
             */
            wait_s?: number;
            where?: components["schemas"]["EventLogWhere"];
        };
        /** @description Which channels to list. All members are optional. */
        ListLiveChannelsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description Only this channel, with its connections. */
            channel_id?: components["schemas"]["ChannelId"];
            /**
             * @description Only the channel of this name, with its connections: `channel_id` without the last `@` and what
             *     follows. Not together with `channel_id`.
             * @example lobby
             */
            channel?: string;
            /** @description How many channels, or connections of the channel, the answer has at most; 100 if left out. */
            limit?: number;
        };
        /** @description The channels that have connections, or clients that were just admitted. */
        LiveChannels: {
            /** @description When they were counted. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description How many connections they have, those of the omitted ones included. */
            connections: number;
            /** @description The channels, those with the most connections first. */
            channels: components["schemas"]["LiveChannel"][];
            /** @description How many more channels there are. */
            omitted_channels: number;
        };
        /** @description A channel and who is in it. */
        LiveChannel: {
            /**
             * @description The channel.
             * @example lobby@demo
             */
            channel_id: string;
            /** @description How many connections it has. */
            connections: number;
            /** @description How many clients were admitted and have not connected yet. They take seats, too. */
            admitted: number;
            /** @description How many connections have each role; those of an unknown role are left out. */
            roles: {
                [key: string]: number;
            };
            /** @description When the oldest of its connections was created. Absent if it has none. */
            since?: components["schemas"]["Timestamp"];
            /** @description The lowest and the highest `max_channel_connections` of its clients' tokens. Absent if none has a limit, or it is not known. */
            limits?: {
                /** @description The lowest. */
                min: number;
                /** @description The highest. */
                max: number;
            };
            /** @description Its connections and admitted clients, the newest first. Absent if the request names no channel. */
            clients?: components["schemas"]["LiveConnection"][];
            /** @description How many more there are. Absent if the request names no channel. */
            omitted_clients?: number;
        };
        /** @description A connection, or a client that was admitted and has not connected yet. */
        LiveConnection: {
            /**
             * @description The connection.
             * @example 0J9V6TQ2M4EXK7C3R8ZB5HW1NA
             */
            connection_id: string;
            /**
             * @description Whether it is connected.
             * @enum {string}
             */
            state: "connected" | "admitted";
            /** @description When it was created or admitted. Absent if the media server gave no time. */
            since?: components["schemas"]["Timestamp"];
            /**
             * @description The client. Absent if it gave no id of its own.
             * @example stage-camera-2
             */
            client_id?: string;
            /**
             * @description Its role. Absent if it is not known.
             * @example recvonly
             */
            role?: string;
            /**
             * @description Its session. Absent if it is not known.
             * @example 7N3DS2KQ4H1WZ9M5XG8TCVB6RY
             */
            session_id?: string;
            /**
             * @description The media server's node. Absent if it is not known.
             * @example node-1
             */
            node_name?: string;
            /** @description The limit of its token. Absent if it has none, or it is not known. */
            max_channel_connections?: number;
        };
        /** @description Which entries to count, and how to group them. */
        CountLogsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Which log to count.
             * @enum {string}
             */
            kind: "sessions" | "connections" | "api" | "media-api" | "webhooks" | "events";
            /**
             * @description Entries with this `timestamp` or a later one. Without it, and before the last 30 days, the
             *     last 30 days are meant.
             */
            since?: components["schemas"]["Moment"];
            /**
             * @description Entries with an earlier `timestamp` than this. Without it, until now; entries that are up
             *     to an hour ahead of it are counted, too.
             */
            until?: components["schemas"]["Moment"];
            /** @description Conditions on the entries, as in the log's listing. */
            where?: components["schemas"]["SessionLogWhere"] | components["schemas"]["ConnectionLogWhere"] | components["schemas"]["ApiLogWhere"] | components["schemas"]["MediaApiLogWhere"] | components["schemas"]["WebhookLogWhere"] | components["schemas"]["EventLogWhere"];
            /**
             * @description Counts each combination of the values of these fields. The field must be one of the log's;
             *     an entry without it is counted under null.
             */
            by?: ("channel_id" | "session_id" | "client_id" | "bundle_id" | "connection_id" | "url" | "from" | "type" | "media_target" | "status" | "failed" | "role" | "node_name" | "outcome" | "reason" | "media_reason" | "jwt_id" | "key_id")[];
            /**
             * @description How many groups the answer has at most, 100 if left out: those with the most failed entries, and among these
             *     those with the most entries.
             */
            top?: number;
            /**
             * @description Counts each period of this many seconds. Periods start at multiples of it since 1970; the
             *     range may have at most 2000 of them.
             */
            every?: number;
            /**
             * @description How many seconds local time is ahead of UTC, 0 if left out: periods start at multiples of `every` in local
             *     time. Only with `every`.
             */
            offset?: number;
        };
        /** @description The counts of a range. */
        LogCounts: {
            /** @description The start of the range that was counted. Later than requested if the count is not complete. */
            since: components["schemas"]["Timestamp"];
            /** @description The end of the range that was counted. */
            until: components["schemas"]["Timestamp"];
            /** @description Whether the whole range was counted. If not, its older part is missing. */
            complete: boolean;
            /** @description All entries. */
            total: components["schemas"]["LogCount"];
            /** @description The entries by the fields in `by`, those with the most failed entries first. Empty without `by`. */
            groups: components["schemas"]["LogCountGroup"][];
            /** @description How many more groups there are. */
            omitted_groups: number;
            /** @description The entries by time, oldest first; periods without entries are left out. Empty without `every`. */
            periods: components["schemas"]["LogCountPeriod"][];
        };
        /** @description How many entries, and their sums. Fields that the log's entries do not have are absent. */
        LogCount: {
            /** @description How many entries. */
            entries: number;
            /**
             * @description How many calls, connections, sessions, deliveries or events: an entry of the API log may stand
             *     for several calls, and one of the event log for several refusals.
             */
            count: number;
            /**
             * @description How many of `count` have status 0 or a status from 400 on, or, in the event log, an
             *     `outcome` other than `ok`.
             */
            failed?: number;
            /**
             * Format: int64
             * @description The sum of the bytes received.
             */
            received_bytes?: number;
            /**
             * Format: int64
             * @description The sum of the bytes sent.
             */
            sent_bytes?: number;
            /** @description The sum of the durations in minutes. */
            minutes?: number;
            /** @description Processing times in milliseconds. Absent if there is no entry. */
            elapsed_ms?: components["schemas"]["Percentiles"];
            /** @description Durations in minutes. Absent if there is no entry. */
            duration_min?: components["schemas"]["Percentiles"];
        };
        /** @description The entries of a group. */
        LogCountGroup: components["schemas"]["LogCount"] & {
            /** @description The group's values, by field. */
            by: {
                [key: string]: string | number | boolean | null;
            };
        };
        /** @description The entries of a period. */
        LogCountPeriod: components["schemas"]["LogCount"] & {
            /** @description When the period starts. It may be before `since`; entries before `since` are not counted. */
            start: components["schemas"]["Timestamp"];
        };
        /**
         * @description The distribution of values. Percentiles deviate from the true value by at most 2%; the maximum
         *     is exact.
         */
        Percentiles: {
            /** @description Half of the values are at most this. */
            p50: number;
            /** @description 95 of 100 values are at most this. */
            p95: number;
            /** @description 99 of 100 values are at most this. */
            p99: number;
            /** @description The highest value. */
            max: number;
        };
        /** @description Which tokens to list. All conditions must hold. */
        ListAccessTokensRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description Only the token with this id. */
            jwt_id?: components["schemas"]["TokenId"];
            /** @description Only tokens for this channel. Those for all channels are left out. */
            channel_id?: components["schemas"]["ChannelId"];
            /**
             * @description Only tokens for this role. Those for all roles are left out.
             * @enum {string}
             */
            role?: "sendrecv" | "sendonly" | "recvonly";
            /** @description Only tokens that this person or program requested. */
            requested_by?: string;
            /** @description Whether to list revoked tokens, and those that ended within the last day, as well. False if left out. */
            include_ended?: boolean;
            /** @description How many tokens the answer has at most, 100 if left out. */
            limit?: number;
            /** @description The `next_cursor` of an answer, for the tokens after it. */
            cursor?: string;
        };
        /** @description A page of tokens. */
        IssuedTokens: {
            /** @description The tokens, newest first. */
            tokens: components["schemas"]["IssuedToken"][];
            /**
             * @description Present if there are more, or if looking for matches took too long: then the page has what was found so
             *     far, which may be nothing.
             */
            next_cursor?: string;
        };
        /** @description An access token, without the token itself. A member is absent if the token has no such limit. */
        IssuedToken: {
            /**
             * @description The token's `jti`.
             * @example 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11
             */
            jwt_id: string;
            /**
             * @description The key that signed it, its `kid`.
             * @example k7Qm2xVb
             */
            key_id: string;
            /** @description When it was issued. */
            issued_at: components["schemas"]["Timestamp"];
            /**
             * @description Its only channel.
             * @example lobby@demo
             */
            channel_id?: string;
            /**
             * @description Its only role.
             * @enum {string}
             */
            role?: "sendrecv" | "sendonly" | "recvonly";
            /** @description The number of connections in the channel at which it admits no more. */
            max_channel_connections?: number;
            /** @description When it becomes valid. */
            not_before?: components["schemas"]["Timestamp"];
            /** @description When it ends. */
            expiration_time?: components["schemas"]["Timestamp"];
            /**
             * @description Who requested it, as the caller named them.
             * @example slack:T0PLAY/U0ANN
             */
            requested_by?: string;
            /**
             * @description Whether a client can use it now.
             * @enum {string}
             */
            state: "active" | "not-yet-valid" | "expired" | "revoked";
            /** @description When it was revoked. */
            revoked_at?: components["schemas"]["Timestamp"];
            /**
             * @description Who revoked it, as the caller named them.
             * @example slack:T0PLAY/U0BEN
             */
            revoked_by?: string;
        };
        /**
         * @description The `jti` of a token: a UUID, or an id chosen by a program that signs tokens itself. Case is ignored.
         * @example 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11
         */
        TokenId: string;
        /** @description Either `jwt_id` or `channel_id`. */
        RevokeAccessTokenRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description The token to revoke, even if the service did not issue it. */
            jwt_id?: components["schemas"]["TokenId"];
            /** @description Revokes all tokens for this channel that were issued before a time. */
            channel_id?: components["schemas"]["ChannelId"];
            /** @description The time, not in the future; now if left out. Only with `channel_id`. */
            issued_before?: components["schemas"]["Moment"];
            /**
             * @description Whether to disconnect the clients that connected with such a token, through the media
             *     server's API. False if left out.
             */
            disconnect?: boolean;
        };
        /** @description What was revoked. */
        RevokedTokens: {
            /** @description The token that was revoked. */
            jwt_id?: string;
            /** @description The channel whose tokens were revoked. */
            channel_id?: string;
            /** @description Tokens issued before this time are revoked. */
            issued_before?: components["schemas"]["Timestamp"];
            /** @description When it was first revoked. */
            revoked_at: components["schemas"]["Timestamp"];
            /** @description From this time on, every process of the service refuses the tokens. */
            effective_by: components["schemas"]["Timestamp"];
            /** @description How many tokens known to the service it ends; 0 for one that the service did not issue. */
            tokens: number;
            /** @description Present if counting took too long: `tokens` are those that were issued since then. All are revoked. */
            counted_since?: components["schemas"]["Timestamp"];
            /** @description How many connections were ended. Absent without `disconnect`. */
            disconnected?: number;
            /** @description How many connections the media server did not end. Absent without `disconnect`. */
            not_disconnected?: number;
            /** @description Why connections were not ended. */
            fault?: string;
        };
        /** @description A token, and where it would be used. */
        CheckAccessTokenRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description The token. It is not stored. */
            access_token: string;
            /** @description The channel that a client would enter; the token's own if left out. */
            channel_id?: components["schemas"]["ChannelId"];
            /**
             * @description The role that a client would have; the token's own if left out, or one that it allows.
             * @enum {string}
             */
            role?: "sendrecv" | "sendonly" | "recvonly";
        };
        /**
         * @description The state of a token, with the members of RFC 7662. Members of the token are present if it is
         *     signed by one of the project's keys.
         */
        CheckedToken: {
            /** @description Whether the token is good now. */
            active: boolean;
            /** @description Why it is not good. */
            reason?: components["schemas"]["EventReason"];
            /** @description The same as a sentence, with the next step. */
            message?: string;
            /**
             * @description How it is used.
             * @enum {string}
             */
            token_type?: "Bearer";
            /** @description The token's id. */
            jti?: string;
            /** @description When it was issued in seconds since 1970. */
            iat?: number;
            /** @description When it becomes valid in seconds since 1970. */
            nbf?: number;
            /** @description When it ends in seconds since 1970. */
            exp?: number;
            /** @description Its only channel. */
            channel_id?: string;
            /**
             * @description Its only role.
             * @enum {string}
             */
            role?: "sendrecv" | "sendonly" | "recvonly";
            /** @description The number of connections in the channel at which it admits no more. */
            max_channel_connections?: number;
            /** @description The key that it names. */
            key_id?: string;
            /** @description When it was revoked. */
            revoked_at?: components["schemas"]["Timestamp"];
            admission?: components["schemas"]["CheckedAdmission"];
        };
        /** @description What a client would be answered now. Absent if neither the request nor the token names a channel. */
        CheckedAdmission: {
            /** @description Whether it would be admitted. */
            allowed: boolean;
            /** @description The channel. */
            channel_id: string;
            /**
             * @description The role.
             * @enum {string}
             */
            role: "sendrecv" | "sendonly" | "recvonly";
            /** @description Why it would be refused. */
            reason?: components["schemas"]["EventReason"];
            /** @description The same as a sentence, with the next step. */
            message?: string;
            /** @description How many connections the channel has, or is about to have. */
            channel_connections?: number;
        };
        /** @description The project. */
        ListRevocationsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description How many revocations the answer has at most, 1000 if left out. */
            limit?: number;
            /** @description The `next_cursor` of an answer, for the revocations after it. */
            cursor?: string;
        };
        /** @description A page of revocations. */
        TokenRevocations: {
            /** @description The revocations, newest first. */
            revocations: components["schemas"]["TokenRevocation"][];
            /**
             * @description Present if there are more, or if looking for matches took too long: then the page has what was found so
             *     far, which may be nothing.
             */
            next_cursor?: string;
        };
        /** @description Either `jwt_id`, or `channel_id` and `issued_before`. */
        TokenRevocation: {
            /** @description The token. */
            jwt_id?: string;
            /** @description The channel. */
            channel_id?: string;
            /** @description Tokens for the channel that were issued before this time are revoked. */
            issued_before?: components["schemas"]["Timestamp"];
            /** @description When it was revoked. */
            revoked_at: components["schemas"]["Timestamp"];
            /** @description Who revoked it, as the caller named them. */
            revoked_by?: string;
        };
        /** @description A JSON Web Key Set. */
        SigningKeys: {
            /** @description The keys. */
            keys: components["schemas"]["SigningKey"][];
        };
        /** @description A public Ed25519 key. */
        SigningKey: {
            /**
             * @description The key type.
             * @enum {string}
             */
            kty: "OKP";
            /**
             * @description The curve.
             * @enum {string}
             */
            crv: "Ed25519";
            /** @description The public key, base64url. */
            x: string;
            /** @description Its id, as tokens name it. */
            kid: string;
            /**
             * @description The algorithm.
             * @enum {string}
             */
            alg: "EdDSA";
            /**
             * @description It verifies signatures.
             * @enum {string}
             */
            use: "sig";
        };
        /** @description Which deliveries to list. All conditions must hold. */
        ListDeliveriesRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description Only this delivery. */
            delivery_id?: string;
            /** @description Only the delivery of this event. */
            event_id?: string;
            /**
             * @description Only deliveries in this state.
             * @enum {string}
             */
            state?: "waiting" | "delivered" | "failed";
            /**
             * @description Only events of this type.
             * @example connection.created
             */
            type?: string;
            /** @description Only events that were received at this time or later. */
            since?: components["schemas"]["Moment"];
            /** @description Only events that were received before this time. */
            until?: components["schemas"]["Moment"];
            /** @description How many deliveries the answer has at most, 100 if left out. */
            limit?: number;
            /** @description The `next_cursor` of an answer, for the deliveries after it. */
            cursor?: string;
        };
        /** @description A page of deliveries. */
        Deliveries: {
            /** @description The deliveries, newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /**
             * @description Present if there are more, or if looking for matches took too long: then the page has what was found so
             *     far, which may be nothing.
             */
            next_cursor?: string;
        };
        /** @description The delivery of an event to the project's event webhook. */
        Delivery: {
            /** @description Its id. */
            delivery_id: string;
            /** @description The media server's event, which is also the `webhook-id`. */
            event_id: string;
            /**
             * @description The event's type.
             * @example connection.created
             */
            type: string;
            /**
             * @description `waiting` for its next attempt, `delivered`, or `failed`: given up after the last attempt.
             * @enum {string}
             */
            state: "waiting" | "delivered" | "failed";
            /** @description When the event was received. */
            created_at: components["schemas"]["Timestamp"];
            /** @description The attempts, oldest first; of very many, the last. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /** @description When it is tried next. Absent if it has ended. */
            next_attempt_at?: components["schemas"]["Timestamp"];
            /** @description When it was delivered or given up. */
            ended_at?: components["schemas"]["Timestamp"];
            /** @description Why the last attempt failed, if there was no answer. */
            fault?: string;
        };
        /** @description An attempt to deliver an event. */
        DeliveryAttempt: {
            /** @description When it ended. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description The HTTP status of the receiver's answer; 0 if there was none. */
            status: number;
        };
        /** @description Either `delivery_id`, `event_id` or `since`. */
        ResendDeliveriesRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description This delivery, whatever its state. */
            delivery_id?: string;
            /** @description The delivery of this event, whatever its state. */
            event_id?: string;
            /** @description All failed deliveries of events that were received at this time or later. */
            since?: components["schemas"]["Moment"];
            /** @description Only of events that were received before this time. Only with `since`. */
            until?: components["schemas"]["Moment"];
            /** @description Only of events of this type. Only with `since`. */
            type?: string;
            /** @description The `next_cursor` of an answer, to go on after what it has queued. Only with `since`. */
            cursor?: string;
        };
        /** @description What is sent again. */
        ResentDeliveries: {
            /** @description How many deliveries were queued again. */
            resent: number;
            /** @description The delivery. Absent with `since`. */
            delivery_id?: string;
            /** @description Present if queueing all of them takes longer. Send the same body with it as `cursor` to go on. */
            next_cursor?: string;
        };
        /** @description The project. */
        ListWebhookEndpointsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
        };
        /** @description The endpoints of a project. */
        WebhookEndpoints: {
            /** @description The endpoints. */
            endpoints: components["schemas"]["WebhookEndpoint"][];
        };
        /** @description A project's own address for one kind of webhook. */
        WebhookEndpoint: {
            /**
             * @description What it receives.
             * @enum {string}
             */
            kind: "auth" | "session" | "event";
            /**
             * @description Its URL, without secrets.
             * @example https://hooks.example/media
             */
            url: string;
            /**
             * @description `ok` if the last webhook was accepted or none was sent yet, `failing` if it was not, `off` if
             *     no webhooks are sent.
             * @enum {string}
             */
            state: "ok" | "failing" | "off";
            /** @description Since when webhooks have failed. */
            failing_since?: components["schemas"]["Timestamp"];
            /** @description When it was switched off. */
            off_since?: components["schemas"]["Timestamp"];
            /** @description Why it was switched off. */
            off_reason?: string;
            /** @description How many events wait for their next attempt. Only for events. */
            waiting?: number;
        };
        /** @description Which endpoint to switch on. */
        EnableWebhookEndpointRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Its kind.
             * @enum {string}
             */
            kind: "auth" | "session" | "event";
        };
        /** @description Which entries to list. All conditions must hold. */
        ListAuditLogRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /** @description Only entries of this time or later. */
            since?: components["schemas"]["Moment"];
            /** @description Only entries before this time. */
            until?: components["schemas"]["Moment"];
            /**
             * @description Only this action.
             * @example token.revoke
             */
            action?: string;
            /** @description Only entries of what this person or program requested. */
            requested_by?: string;
            /** @description How many entries the answer has at most, 100 if left out. */
            limit?: number;
            /** @description The `next_cursor` of an answer, for the entries after it. */
            cursor?: string;
        };
        /** @description A page of the audit log. */
        AuditLog: {
            /** @description The entries, newest first. */
            entries: components["schemas"]["AuditEntry"][];
            /**
             * @description Present if there are more, or if looking for matches took too long: then the page has what was found so
             *     far, which may be nothing.
             */
            next_cursor?: string;
        };
        /** @description Who did what. A member is absent if it is not known. */
        AuditEntry: {
            /** @description When. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description What: `token.revoke`, `deliveries.resend`, `endpoint.enable`, `media-api.<operation>`, or
             *     `operator.<command>` for a command of the operator.
             * @example token.revoke
             */
            action: string;
            /**
             * @description Whether it was done.
             * @enum {string}
             */
            outcome: "done" | "refused" | "failed";
            /**
             * @description What it was done to, such as a token's or a channel's id.
             * @example lobby@demo
             */
            subject?: string;
            /** @description More about the outcome, such as the reason of a refusal. */
            detail?: string;
            /**
             * @description On whose behalf, as the caller named them.
             * @example slack:T0PLAY/U0ANN
             */
            requested_by?: string;
            /**
             * @description The API key of the call.
             * @example k7Qm2xVb
             */
            key_id?: string;
            /**
             * @description The network address of the caller.
             * @example 192.0.2.7
             */
            address?: string;
            /** @description The id of the call. */
            request_id?: string;
            /**
             * @description How many acts the entry stands for: those of one API key that were refused or failed alike
             *     within a minute; absent if it stands for one. The other members are then those of the last one.
             * @example 1666
             */
            count?: number;
        };
        /**
         * Format: date-time
         * @description An RFC 3339 time in UTC, ending in `Z`, with any number of fraction digits. Keep it as a
         *     string: a `Date` loses all digits after the third.
         * @example 2026-04-01T09:30:15.482913Z
         * @example 2026-04-01T09:30:15.482Z
         */
        Timestamp: string;
        /**
         * @description `<channel_name>@<project_id>`, at most 255 bytes. The channel name is any string, `@`
         *     included: the project id is the part after the last `@`.
         * @example lobby@demo
         */
        ChannelId: string;
        /** @description A session that has ended. It begins with a channel's first connection. */
        SessionLogEntry: {
            /** @description Time of the log entry. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description The session's channel: `<channel_name>@<project_id>`. */
            channel_id: components["schemas"]["ChannelId"];
            /**
             * @description Identifier of the session.
             * @example 7N3DS2KQ4H1WZ9M5XG8TCVB6RY
             */
            session_id: string;
            /**
             * @description Total number of connections in the session.
             * @example 12
             */
            total_connections: number;
            /**
             * @description Maximum number of simultaneous connections in the session.
             * @example 5
             */
            max_connections: number;
            /** @description When the session was created. */
            created_timestamp: components["schemas"]["Timestamp"];
            /** @description When the session ended. */
            destroyed_timestamp: components["schemas"]["Timestamp"];
            /**
             * @description Duration in whole minutes, rounded down.
             * @example 42
             */
            duration_min: number;
        };
        /** @description A connection that has ended. Transfer volumes are in bytes. */
        ConnectionLogEntry: {
            /** @description Time of the log entry. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description The connection's channel: `<channel_name>@<project_id>`. */
            channel_id: components["schemas"]["ChannelId"];
            /**
             * @description The session the connection belongs to.
             * @example 7N3DS2KQ4H1WZ9M5XG8TCVB6RY
             */
            session_id: string;
            /**
             * @description Client identifier. Equal to the connection id if the client sent none.
             * @example stage-camera-2
             */
            client_id: string;
            /**
             * @description Bundle identifier. Equal to the connection id if the client sent none.
             * @example stage
             */
            bundle_id: string;
            /**
             * @description Connection identifier.
             * @example 0J9V6TQ2M4EXK7C3R8ZB5HW1NA
             */
            connection_id: string;
            /**
             * Format: int64
             * @description Bytes received.
             * @example 48211904
             */
            total_received_bytes: number;
            /**
             * Format: int64
             * @description Bytes sent.
             * @example 1930444
             */
            total_sent_bytes: number;
            /** @description When the connection was created. */
            created_timestamp: components["schemas"]["Timestamp"];
            /** @description When the connection ended. */
            destroyed_timestamp: components["schemas"]["Timestamp"];
            /**
             * @description Duration in whole minutes, rounded down.
             * @example 17
             */
            duration_min: number;
        };
        /** @description A call of one of this service's operations, or several calls that were refused alike. */
        ApiLogEntry: {
            /** @description Time of the call. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description Full address of the service operation that was called, cut to 512 bytes. It begins with
             *     the service's own address, whatever host the caller named.
             * @example https://media-ops.example/projects/create-access-token
             */
            url: string;
            /**
             * @description HTTP status returned by that call.
             * @example 200
             * @example 400
             */
            status: number;
            /**
             * @description Processing time in milliseconds.
             * @example 3
             */
            elapsed_time_ms: number;
            /**
             * @description How many refused calls the entry stands for; absent if it stands for one. `timestamp`
             *     and `elapsed_time_ms` are then those of the last one, and `url` has no query.
             * @example 2999
             */
            count?: number;
        };
        /** @description A call that was passed on to the media service's own API. */
        MediaApiLogEntry: {
            /** @description Time of the call. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description The operation that was called: `Media_<YYYYMMDD>.<OperationName>`. The date is the
             *     version label of the media service's own operation.
             * @example Media_20151104.DisconnectChannel
             */
            media_target: string;
            /** @description The channel the call was about: `<channel_name>@<project_id>`. */
            channel_id: components["schemas"]["ChannelId"];
            /**
             * @description HTTP status of the call.
             * @example 200
             */
            status: number;
            /**
             * @description Processing time in milliseconds.
             * @example 21
             */
            elapsed_time_ms: number;
        };
        /** @description One attempt to deliver a webhook to one of the project's own addresses. */
        WebhookLogEntry: {
            /** @description Time of the delivery. */
            timestamp: components["schemas"]["Timestamp"];
            /**
             * @description Webhook event kind: `<object>.<action>`, for example `connection.created` or
             *     `session.created`. More kinds may be added.
             * @example connection.created
             * @example session.created
             */
            type: string;
            /**
             * @description Address the webhook was sent to.
             * @example https://hooks.example/media
             */
            url: string;
            /**
             * @description HTTP status returned by the receiver; 0 if there was no answer.
             * @example 200
             * @example 400
             */
            status: number;
            /**
             * @description Processing time in milliseconds.
             * @example 87
             */
            elapsed_time_ms: number;
            /**
             * @description The channel that the webhook is about. Absent if it names none.
             * @example lobby@demo
             */
            channel_id?: string;
            /**
             * @description The connection that the webhook is about. Absent if it names none.
             * @example 0J9V6TQ2M4EXK7C3R8ZB5HW1NA
             */
            connection_id?: string;
            /**
             * @description The id of the media server's event, the same for all attempts. Absent if it has none.
             * @example 6TQ2M4EXK7C4R8ZB5HW1NA0J9V
             */
            event_id?: string;
        };
        /**
         * Format: date-time
         * @description An RFC 3339 date-time with `Z` or an offset, and any number of fraction digits.
         * @example 2026-04-01T09:30:15.482913Z
         * @example 2026-04-01T18:30:00+09:00
         */
        Moment: string;
        /** @description Which session log entries to list. All members are optional. */
        ListSessionLogsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Entries with this `timestamp` or a later one, compared with all digits. Before the
             *     last 30 days, the last 30 days are meant.
             */
            since?: components["schemas"]["Moment"];
            /** @description Entries with an earlier `timestamp` than this, compared with all digits. */
            until?: components["schemas"]["Moment"];
            /** @description How many entries a page has at most; 1000 if left out. */
            limit?: number;
            /**
             * @description Which entries come first, `newest` if left out. Entries with the same `timestamp` come in the
             *     order in which they were written, or its reverse.
             * @enum {string}
             */
            order?: "newest" | "oldest";
            /**
             * @description Continues an earlier listing with the same other members, except `limit` and
             *     `wait_s`: the value of its `x-next-cursor` or `x-follow-cursor`. A cursor may be kept
             *     as long as its entries are.
             */
            cursor?: string;
            /**
             * @description How many seconds the call is held until something new matches; 0 if left out. Only with a
             *     cursor that follows the log.
             */
            wait_s?: number;
            where?: components["schemas"]["SessionLogWhere"];
        };
        /** @description Which connection log entries to list. All members are optional. */
        ListConnectionLogsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Entries with this `timestamp` or a later one, compared with all digits. Before the
             *     last 30 days, the last 30 days are meant.
             */
            since?: components["schemas"]["Moment"];
            /** @description Entries with an earlier `timestamp` than this, compared with all digits. */
            until?: components["schemas"]["Moment"];
            /** @description How many entries a page has at most; 1000 if left out. */
            limit?: number;
            /**
             * @description Which entries come first, `newest` if left out. Entries with the same `timestamp` come in the
             *     order in which they were written, or its reverse.
             * @enum {string}
             */
            order?: "newest" | "oldest";
            /**
             * @description Continues an earlier listing with the same other members, except `limit` and
             *     `wait_s`: the value of its `x-next-cursor` or `x-follow-cursor`. A cursor may be kept
             *     as long as its entries are.
             */
            cursor?: string;
            /**
             * @description How many seconds the call is held until something new matches; 0 if left out. Only with a
             *     cursor that follows the log.
             */
            wait_s?: number;
            where?: components["schemas"]["ConnectionLogWhere"];
        };
        /** @description Which API log entries to list. All members are optional. */
        ListApiLogsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Entries with this `timestamp` or a later one, compared with all digits. Before the
             *     last 30 days, the last 30 days are meant.
             */
            since?: components["schemas"]["Moment"];
            /** @description Entries with an earlier `timestamp` than this, compared with all digits. */
            until?: components["schemas"]["Moment"];
            /** @description How many entries a page has at most; 1000 if left out. */
            limit?: number;
            /**
             * @description Which entries come first, `newest` if left out. Entries with the same `timestamp` come in the
             *     order in which they were written, or its reverse.
             * @enum {string}
             */
            order?: "newest" | "oldest";
            /**
             * @description Continues an earlier listing with the same other members, except `limit` and
             *     `wait_s`: the value of its `x-next-cursor` or `x-follow-cursor`. A cursor may be kept
             *     as long as its entries are.
             */
            cursor?: string;
            /**
             * @description How many seconds the call is held until something new matches; 0 if left out. Only with a
             *     cursor that follows the log.
             */
            wait_s?: number;
            where?: components["schemas"]["ApiLogWhere"];
        };
        /** @description Which media API log entries to list. All members are optional. */
        ListMediaApiLogsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Entries with this `timestamp` or a later one, compared with all digits. Before the
             *     last 30 days, the last 30 days are meant.
             */
            since?: components["schemas"]["Moment"];
            /** @description Entries with an earlier `timestamp` than this, compared with all digits. */
            until?: components["schemas"]["Moment"];
            /** @description How many entries a page has at most; 1000 if left out. */
            limit?: number;
            /**
             * @description Which entries come first, `newest` if left out. Entries with the same `timestamp` come in the
             *     order in which they were written, or its reverse.
             * @enum {string}
             */
            order?: "newest" | "oldest";
            /**
             * @description Continues an earlier listing with the same other members, except `limit` and
             *     `wait_s`: the value of its `x-next-cursor` or `x-follow-cursor`. A cursor may be kept
             *     as long as its entries are.
             */
            cursor?: string;
            /**
             * @description How many seconds the call is held until something new matches; 0 if left out. Only with a
             *     cursor that follows the log.
             */
            wait_s?: number;
            where?: components["schemas"]["MediaApiLogWhere"];
        };
        /** @description Which webhook log entries to list. All members are optional. */
        ListWebhookLogsRequest: {
            /**
             * @description The project identifier. May be left out: the project that owns the API key is meant.
             *     Another project's is refused with 403.
             * @example demo
             */
            project_id?: string;
            /**
             * @description Entries with this `timestamp` or a later one, compared with all digits. Before the
             *     last 30 days, the last 30 days are meant.
             */
            since?: components["schemas"]["Moment"];
            /** @description Entries with an earlier `timestamp` than this, compared with all digits. */
            until?: components["schemas"]["Moment"];
            /** @description How many entries a page has at most; 1000 if left out. */
            limit?: number;
            /**
             * @description Which entries come first, `newest` if left out. Entries with the same `timestamp` come in the
             *     order in which they were written, or its reverse.
             * @enum {string}
             */
            order?: "newest" | "oldest";
            /**
             * @description Continues an earlier listing with the same other members, except `limit` and
             *     `wait_s`: the value of its `x-next-cursor` or `x-follow-cursor`. A cursor may be kept
             *     as long as its entries are.
             */
            cursor?: string;
            /**
             * @description How many seconds the call is held until something new matches; 0 if left out. Only with a
             *     cursor that follows the log.
             */
            wait_s?: number;
            where?: components["schemas"]["WebhookLogWhere"];
        };
        /**
         * @description Conditions on the fields of session log entries, which must all hold. An entry without a field
         *     meets no condition on it, except `not`.
         */
        SessionLogWhere: {
            timestamp?: components["schemas"]["TimeTest"];
            channel_id?: components["schemas"]["TextTest"];
            /** @description The channel's name: `channel_id` without the last `@` and what follows. */
            channel?: components["schemas"]["TextTest"];
            session_id?: components["schemas"]["TextTest"];
            total_connections?: components["schemas"]["NumberTest"];
            max_connections?: components["schemas"]["NumberTest"];
            created_timestamp?: components["schemas"]["TimeTest"];
            destroyed_timestamp?: components["schemas"]["TimeTest"];
            duration_min?: components["schemas"]["NumberTest"];
        };
        /**
         * @description Conditions on the fields of connection log entries, which must all hold. An entry without a field
         *     meets no condition on it, except `not`.
         */
        ConnectionLogWhere: {
            timestamp?: components["schemas"]["TimeTest"];
            channel_id?: components["schemas"]["TextTest"];
            /** @description The channel's name: `channel_id` without the last `@` and what follows. */
            channel?: components["schemas"]["TextTest"];
            session_id?: components["schemas"]["TextTest"];
            client_id?: components["schemas"]["TextTest"];
            bundle_id?: components["schemas"]["TextTest"];
            connection_id?: components["schemas"]["TextTest"];
            total_received_bytes?: components["schemas"]["NumberTest"];
            total_sent_bytes?: components["schemas"]["NumberTest"];
            /** @description The sum of `total_received_bytes` and `total_sent_bytes`. */
            total_bytes?: components["schemas"]["NumberTest"];
            created_timestamp?: components["schemas"]["TimeTest"];
            destroyed_timestamp?: components["schemas"]["TimeTest"];
            duration_min?: components["schemas"]["NumberTest"];
        };
        /**
         * @description Conditions on the fields of API log entries, which must all hold. An entry without a field
         *     meets no condition on it, except `not`.
         */
        ApiLogWhere: {
            timestamp?: components["schemas"]["TimeTest"];
            url?: components["schemas"]["TextTest"];
            /** @description The program that made the call, as it named itself: the value of `from` in the query of `url`, such as `bot`. */
            from?: components["schemas"]["TextTest"];
            status?: components["schemas"]["NumberTest"];
            /** @description Whether `status` is 0 or from 400 on. */
            failed?: boolean;
            elapsed_time_ms?: components["schemas"]["NumberTest"];
            count?: components["schemas"]["NumberTest"];
        };
        /**
         * @description Conditions on the fields of media API log entries, which must all hold. An entry without a field
         *     meets no condition on it, except `not`.
         */
        MediaApiLogWhere: {
            timestamp?: components["schemas"]["TimeTest"];
            media_target?: components["schemas"]["TextTest"];
            channel_id?: components["schemas"]["TextTest"];
            /** @description The channel's name: `channel_id` without the last `@` and what follows. */
            channel?: components["schemas"]["TextTest"];
            status?: components["schemas"]["NumberTest"];
            /** @description Whether `status` is 0 or from 400 on. */
            failed?: boolean;
            elapsed_time_ms?: components["schemas"]["NumberTest"];
        };
        /**
         * @description Conditions on the fields of webhook log entries, which must all hold. An entry without a field
         *     meets no condition on it, except `not`.
         */
        WebhookLogWhere: {
            timestamp?: components["schemas"]["TimeTest"];
            type?: components["schemas"]["TextTest"];
            url?: components["schemas"]["TextTest"];
            status?: components["schemas"]["NumberTest"];
            /** @description Whether `status` is 0 or from 400 on. */
            failed?: boolean;
            elapsed_time_ms?: components["schemas"]["NumberTest"];
            channel_id?: components["schemas"]["TextTest"];
            /** @description The channel's name: `channel_id` without the last `@` and what follows. */
            channel?: components["schemas"]["TextTest"];
            connection_id?: components["schemas"]["TextTest"];
            event_id?: components["schemas"]["TextTest"];
        };
        /**
         * @description A test of a number. All members hold.
         * @example {
         *       "gte": 400
         *     }
         */
        NumberTest: {
            /** @description Equal to this, or to one of these. */
            eq?: number | number[];
            /** @description More than this. */
            gt?: number;
            /** @description This or more. */
            gte?: number;
            /** @description Less than this. */
            lt?: number;
            /** @description This or less. */
            lte?: number;
            /** @description At least one of these tests holds. */
            any?: components["schemas"]["NumberTest"][];
            /** @description All of these tests hold, beside the other members. */
            all?: components["schemas"]["NumberTest"][];
            /** @description This test does not hold. It also holds for an entry without the field. */
            not?: components["schemas"]["NumberTest"];
        };
        /**
         * @description A test of a time, compared with all digits. All members hold.
         * @example {
         *       "gte": "2026-04-01T09:00:00Z"
         *     }
         */
        TimeTest: {
            /** @description Later than this. */
            gt?: components["schemas"]["Moment"];
            /** @description This or later. */
            gte?: components["schemas"]["Moment"];
            /** @description Earlier than this. */
            lt?: components["schemas"]["Moment"];
            /** @description This or earlier. */
            lte?: components["schemas"]["Moment"];
            /** @description At least one of these tests holds. */
            any?: components["schemas"]["TimeTest"][];
            /** @description All of these tests hold, beside the other members. */
            all?: components["schemas"]["TimeTest"][];
            /** @description This test does not hold. It also holds for an entry without the field. */
            not?: components["schemas"]["TimeTest"];
        };
        /**
         * @description A test of a text. All members hold. Upper and lower case differ, except for `contains`.
         * @example {
         *       "contains": "hooks"
         *     }
         */
        TextTest: {
            /** @description Equal to this, or to one of these. */
            eq?: string | string[];
            /** @description Contains this, or one of these, whether in upper or lower case. */
            contains?: string | string[];
            /** @description Starts with this, or with one of these. */
            starts_with?: string | string[];
            /**
             * @description Matches this pattern, or one of these: `*` stands for any text, `\*` for the character itself,
             *     and `\\` for a backslash.
             */
            like?: string | string[];
            /** @description At least one of these tests holds. */
            any?: components["schemas"]["TextTest"][];
            /** @description All of these tests hold, beside the other members. */
            all?: components["schemas"]["TextTest"][];
            /** @description This test does not hold. It also holds for an entry without the field. */
            not?: components["schemas"]["TextTest"];
        };
        /** @description What the token allows. Every field is optional; `{}` makes a token without limits. */
        CreateAccessTokenRequest: {
            /**
             * @description The channel the token is for: `<channel_name>@<project_id>`. Without it the token is
             *     good for every channel of the project. Another project's channel is refused with 403.
             */
            channel_id?: components["schemas"]["ChannelId"];
            /**
             * @description The role granted. Without it any role is allowed.
             * @example recvonly
             * @enum {string}
             */
            role?: "sendrecv" | "sendonly" | "recvonly";
            /**
             * @description Maximum concurrent connections of the channel, from 0 to 5000, applied per connection:
             *     a connection with this token cannot be made when the channel already has this many. With
             *     0 every connection attempt fails.
             * @example 5
             */
            max_channel_connections?: number;
            /**
             * Format: date-time
             * @description Time from which the JWT is valid: an RFC 3339 date-time with `Z` or an offset, not a
             *     number. Rounded up to the second.
             * @example 2026-04-01T12:00:00+09:00
             */
            not_before?: string;
            /**
             * Format: date-time
             * @description Time at which the JWT expires: an RFC 3339 date-time with `Z` or an offset, not a
             *     number. Rounded down to the second. Without it the token never ends.
             * @example 2026-04-01T03:10:00Z
             */
            expiration_time?: string;
            /**
             * Format: uuid
             * @description Value of the `jti` claim, a UUID. Without it the service generates one.
             * @example 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11
             */
            jwt_id?: string;
        };
        /** @description A created access token. */
        AccessToken: {
            /**
             * @description The created JWT. Its holder can connect; keep it secret.
             * @example <ACCESS_TOKEN>
             */
            access_token: string;
        };
        /** @description What went wrong, in the form of RFC 9457. */
        Problem: {
            /**
             * Format: uri-reference
             * @description Names the kind of problem; stable, made for programs.
             * @example urn:media-ops:problem:bad-request
             */
            type: string;
            /**
             * @description The kind of problem in a few words.
             * @example Bad input
             */
            title: string;
            /**
             * @description The HTTP status of the answer.
             * @example 400
             */
            status: number;
            /**
             * @description What was wrong with this request, and what to do about it.
             * @example The request body has 1 fault at /expiration_tme: Is not a known field. Did you mean expiration_time?
             */
            detail: string;
            /**
             * @description The same as the header `x-request-id`.
             * @example 0199a3c2-6f0e-7c61-b9a6-0c2f6f0a9d11
             */
            request_id: string;
            /** @description Each fault of the input; present for bad input only. */
            errors?: components["schemas"]["ProblemError"][];
        };
        /** @description One fault of the input. */
        ProblemError: {
            /**
             * @description JSON pointer (RFC 6901) to the faulty part of the body; empty for the whole.
             * @example /expiration_time
             */
            pointer: string;
            /**
             * @description A sentence that says what is wrong there.
             * @example Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.
             */
            detail: string;
        };
    };
    responses: {
        /** @description The request body is larger than 64 KiB. */
        PayloadTooLarge: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The media server could not be reached, or its answer could not be read. */
        BadGateway: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The media server did not answer within 10 seconds. */
        GatewayTimeout: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Bad input. `errors` says what is wrong, and where. */
        BadRequest: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key is missing, unknown or revoked. */
        Unauthorized: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request names a project or a channel that does not belong to the API key. */
        Forbidden: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no operation at this path. */
        NotFound: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The operation exists, but not with this method. `Allow` names the right one. */
        MethodNotAllowed: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request contradicts what was revoked before. `detail` says how to go on. */
        Conflict: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body is something other than JSON. */
        UnsupportedMediaType: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This key has made too many calls. `Retry-After` says when to make the next one. */
        TooManyRequests: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service is overloaded or shutting down. `Retry-After` says when to try again. */
        ServiceUnavailable: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Any other failure. */
        Unexpected: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description The intake key, for senders that can configure only a URL. It is never logged.
         * @example <INTAKE_KEY>
         */
        IntakeKey: string;
        /**
         * @description The operation: `Media_<YYYYMMDD>.<OperationName>`.
         * @example Media_20151104.DisconnectChannel
         */
        MediaTarget: string;
        /**
         * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
         *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
         * @example slack:T0PLAY/U0ANN
         */
        RequestedBy: string;
    };
    requestBodies: {
        /** @description Which session log entries to list. May be left out. */
        ListSessionLogs: {
            content: {
                "application/json": components["schemas"]["ListSessionLogsRequest"];
            };
        };
        /** @description Which connection log entries to list. May be left out. */
        ListConnectionLogs: {
            content: {
                "application/json": components["schemas"]["ListConnectionLogsRequest"];
            };
        };
        /** @description Which API log entries to list. May be left out. */
        ListApiLogs: {
            content: {
                "application/json": components["schemas"]["ListApiLogsRequest"];
            };
        };
        /** @description Which media API log entries to list. May be left out. */
        ListMediaApiLogs: {
            content: {
                "application/json": components["schemas"]["ListMediaApiLogsRequest"];
            };
        };
        /** @description Which webhook log entries to list. May be left out. */
        ListWebhookLogs: {
            content: {
                "application/json": components["schemas"]["ListWebhookLogsRequest"];
            };
        };
        /** @description What the token allows. May be left out; every field is optional. */
        CreateAccessToken: {
            content: {
                "application/json": components["schemas"]["CreateAccessTokenRequest"];
            };
        };
    };
    headers: {
        /**
         * @description The id of this request in the service's logs. Include it when you ask for help.
         * @example 0199a3c2-6f0e-7c61-b9a6-0c2f6f0a9d11
         */
        RequestId: string;
        /**
         * @description How far the search got: every matching entry on this side of it (newer than it, or older for
         *     `order: oldest`) is in this page or an earlier one, or was not yet written. On the last page
         *     it is the end of the range that was asked for. Absent if the request has neither of
         *     `since`, `until`, `where`, `limit`, `order` and `cursor`, and if the entries are followed.
         * @example 2026-04-01T09:30:15.482913Z
         */
        SearchedTo: string;
        /**
         * @description The `cursor` of the next page. Absent on the last page; always present if the entries are
         *     followed.
         * @example eyJrIjo1fQ
         */
        NextCursor: string;
        /**
         * @description The `cursor` that follows the log: it lists what is written after this answer. On the first
         *     page of a search that lists the newest entries first and has no `until`.
         * @example eyJmIjo5fQ
         */
        FollowCursor: string;
        /**
         * @description Seconds to wait before the next attempt. Proxies may send an HTTP date instead.
         * @example 3
         */
        RetryAfter: string;
        /**
         * @description The methods that this path allows.
         * @example POST
         */
        Allow: string;
        /**
         * @description Always names the scheme `Bearer`.
         * @example Bearer
         */
        WwwAuthenticate: string;
        /**
         * @description How many calls this key may make in the current window. Absent if no limit is set.
         * @example 600
         */
        RateLimitLimit: number;
        /**
         * @description How many of these calls are left. Absent if no limit is set.
         * @example 599
         */
        RateLimitRemaining: number;
        /**
         * @description Seconds until the next window starts. Absent if no limit is set.
         * @example 60
         */
        RateLimitReset: number;
    };
    pathItems: never;
}
export type Id = components['schemas']['Id'];
export type AnyChannelId = components['schemas']['AnyChannelId'];
export type Count = components['schemas']['Count'];
export type UnixSeconds = components['schemas']['UnixSeconds'];
export type Bytes = components['schemas']['Bytes'];
export type Metadata = components['schemas']['Metadata'];
export type AuthRequest = components['schemas']['AuthRequest'];
export type Role = components['schemas']['Role'];
export type Switch = components['schemas']['Switch'];
export type Track = components['schemas']['Track'];
export type AuthAnswer = components['schemas']['AuthAnswer'];
export type Label = components['schemas']['Label'];
export type Event = components['schemas']['Event'];
export type OtherEvent = components['schemas']['OtherEvent'];
export type SessionEvent = components['schemas']['SessionEvent'];
export type SessionCreated = components['schemas']['SessionCreated'];
export type SessionDestroyed = components['schemas']['SessionDestroyed'];
export type SessionVanished = components['schemas']['SessionVanished'];
export type SessionAnswer = components['schemas']['SessionAnswer'];
export type ConnectionEvent = components['schemas']['ConnectionEvent'];
export type ConnectionCreated = components['schemas']['ConnectionCreated'];
export type ConnectionUpdated = components['schemas']['ConnectionUpdated'];
export type ConnectionDestroyed = components['schemas']['ConnectionDestroyed'];
export type ConnectionFailed = components['schemas']['ConnectionFailed'];
export type ConnectionData = components['schemas']['ConnectionData'];
export type EndedConnectionData = components['schemas']['EndedConnectionData'];
export type EventAnswer = components['schemas']['EventAnswer'];
export type MediaApiRequest = components['schemas']['MediaApiRequest'];
export type EventLogEntry = components['schemas']['EventLogEntry'];
export type EventReason = components['schemas']['EventReason'];
export type EventLogWhere = components['schemas']['EventLogWhere'];
export type ListEventLogsRequest = components['schemas']['ListEventLogsRequest'];
export type ListLiveChannelsRequest = components['schemas']['ListLiveChannelsRequest'];
export type LiveChannels = components['schemas']['LiveChannels'];
export type LiveChannel = components['schemas']['LiveChannel'];
export type LiveConnection = components['schemas']['LiveConnection'];
export type CountLogsRequest = components['schemas']['CountLogsRequest'];
export type LogCounts = components['schemas']['LogCounts'];
export type LogCount = components['schemas']['LogCount'];
export type LogCountGroup = components['schemas']['LogCountGroup'];
export type LogCountPeriod = components['schemas']['LogCountPeriod'];
export type Percentiles = components['schemas']['Percentiles'];
export type ListAccessTokensRequest = components['schemas']['ListAccessTokensRequest'];
export type IssuedTokens = components['schemas']['IssuedTokens'];
export type IssuedToken = components['schemas']['IssuedToken'];
export type TokenId = components['schemas']['TokenId'];
export type RevokeAccessTokenRequest = components['schemas']['RevokeAccessTokenRequest'];
export type RevokedTokens = components['schemas']['RevokedTokens'];
export type CheckAccessTokenRequest = components['schemas']['CheckAccessTokenRequest'];
export type CheckedToken = components['schemas']['CheckedToken'];
export type CheckedAdmission = components['schemas']['CheckedAdmission'];
export type ListRevocationsRequest = components['schemas']['ListRevocationsRequest'];
export type TokenRevocations = components['schemas']['TokenRevocations'];
export type TokenRevocation = components['schemas']['TokenRevocation'];
export type SigningKeys = components['schemas']['SigningKeys'];
export type SigningKey = components['schemas']['SigningKey'];
export type ListDeliveriesRequest = components['schemas']['ListDeliveriesRequest'];
export type Deliveries = components['schemas']['Deliveries'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type ResendDeliveriesRequest = components['schemas']['ResendDeliveriesRequest'];
export type ResentDeliveries = components['schemas']['ResentDeliveries'];
export type ListWebhookEndpointsRequest = components['schemas']['ListWebhookEndpointsRequest'];
export type WebhookEndpoints = components['schemas']['WebhookEndpoints'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type EnableWebhookEndpointRequest = components['schemas']['EnableWebhookEndpointRequest'];
export type ListAuditLogRequest = components['schemas']['ListAuditLogRequest'];
export type AuditLog = components['schemas']['AuditLog'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type Timestamp = components['schemas']['Timestamp'];
export type ChannelId = components['schemas']['ChannelId'];
export type SessionLogEntry = components['schemas']['SessionLogEntry'];
export type ConnectionLogEntry = components['schemas']['ConnectionLogEntry'];
export type ApiLogEntry = components['schemas']['ApiLogEntry'];
export type MediaApiLogEntry = components['schemas']['MediaApiLogEntry'];
export type WebhookLogEntry = components['schemas']['WebhookLogEntry'];
export type Moment = components['schemas']['Moment'];
export type ListSessionLogsRequest = components['schemas']['ListSessionLogsRequest'];
export type ListConnectionLogsRequest = components['schemas']['ListConnectionLogsRequest'];
export type ListApiLogsRequest = components['schemas']['ListApiLogsRequest'];
export type ListMediaApiLogsRequest = components['schemas']['ListMediaApiLogsRequest'];
export type ListWebhookLogsRequest = components['schemas']['ListWebhookLogsRequest'];
export type SessionLogWhere = components['schemas']['SessionLogWhere'];
export type ConnectionLogWhere = components['schemas']['ConnectionLogWhere'];
export type ApiLogWhere = components['schemas']['ApiLogWhere'];
export type MediaApiLogWhere = components['schemas']['MediaApiLogWhere'];
export type WebhookLogWhere = components['schemas']['WebhookLogWhere'];
export type NumberTest = components['schemas']['NumberTest'];
export type TimeTest = components['schemas']['TimeTest'];
export type TextTest = components['schemas']['TextTest'];
export type CreateAccessTokenRequest = components['schemas']['CreateAccessTokenRequest'];
export type AccessToken = components['schemas']['AccessToken'];
export type Problem = components['schemas']['Problem'];
export type ProblemError = components['schemas']['ProblemError'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseBadGateway = components['responses']['BadGateway'];
export type ResponseGatewayTimeout = components['responses']['GatewayTimeout'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseMethodNotAllowed = components['responses']['MethodNotAllowed'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseServiceUnavailable = components['responses']['ServiceUnavailable'];
export type ResponseUnexpected = components['responses']['Unexpected'];
export type ParameterIntakeKey = components['parameters']['IntakeKey'];
export type ParameterMediaTarget = components['parameters']['MediaTarget'];
export type ParameterRequestedBy = components['parameters']['RequestedBy'];
export type RequestBodyListSessionLogs = components['requestBodies']['ListSessionLogs'];
export type RequestBodyListConnectionLogs = components['requestBodies']['ListConnectionLogs'];
export type RequestBodyListApiLogs = components['requestBodies']['ListApiLogs'];
export type RequestBodyListMediaApiLogs = components['requestBodies']['ListMediaApiLogs'];
export type RequestBodyListWebhookLogs = components['requestBodies']['ListWebhookLogs'];
export type RequestBodyCreateAccessToken = components['requestBodies']['CreateAccessToken'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderSearchedTo = components['headers']['SearchedTo'];
export type HeaderNextCursor = components['headers']['NextCursor'];
export type HeaderFollowCursor = components['headers']['FollowCursor'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type HeaderAllow = components['headers']['Allow'];
export type HeaderWwwAuthenticate = components['headers']['WwwAuthenticate'];
export type HeaderRateLimitLimit = components['headers']['RateLimitLimit'];
export type HeaderRateLimitRemaining = components['headers']['RateLimitRemaining'];
export type HeaderRateLimitReset = components['headers']['RateLimitReset'];
export type $defs = Record<string, never>;
export interface operations {
    listSessionLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ListSessionLogs"];
        responses: {
            /** @description The session log, newest entry first. An empty log is an empty array. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-searched-to": components["headers"]["SearchedTo"];
                    "x-next-cursor": components["headers"]["NextCursor"];
                    "x-follow-cursor": components["headers"]["FollowCursor"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionLogEntry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listConnectionLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ListConnectionLogs"];
        responses: {
            /** @description The connection log, newest entry first. An empty log is an empty array. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-searched-to": components["headers"]["SearchedTo"];
                    "x-next-cursor": components["headers"]["NextCursor"];
                    "x-follow-cursor": components["headers"]["FollowCursor"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionLogEntry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listApiLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ListApiLogs"];
        responses: {
            /** @description The API log, newest entry first. An empty log is an empty array. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-searched-to": components["headers"]["SearchedTo"];
                    "x-next-cursor": components["headers"]["NextCursor"];
                    "x-follow-cursor": components["headers"]["FollowCursor"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiLogEntry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listMediaApiLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ListMediaApiLogs"];
        responses: {
            /** @description The media API log, newest entry first. An empty log is an empty array. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-searched-to": components["headers"]["SearchedTo"];
                    "x-next-cursor": components["headers"]["NextCursor"];
                    "x-follow-cursor": components["headers"]["FollowCursor"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaApiLogEntry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listWebhookLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["ListWebhookLogs"];
        responses: {
            /** @description The webhook log, newest entry first. An empty log is an empty array. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-searched-to": components["headers"]["SearchedTo"];
                    "x-next-cursor": components["headers"]["NextCursor"];
                    "x-follow-cursor": components["headers"]["FollowCursor"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookLogEntry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    createAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: components["requestBodies"]["CreateAccessToken"];
        responses: {
            /** @description The created token. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listEventLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Which event log entries to list. May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListEventLogsRequest"];
            };
        };
        responses: {
            /** @description The event log, newest entry first. An empty log is an empty array. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "x-searched-to": components["headers"]["SearchedTo"];
                    "x-next-cursor": components["headers"]["NextCursor"];
                    "x-follow-cursor": components["headers"]["FollowCursor"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventLogEntry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listLiveChannels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Which channels to list. May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListLiveChannelsRequest"];
            };
        };
        responses: {
            /** @description The channels. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveChannels"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    countLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What to count. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CountLogsRequest"];
            };
        };
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogCounts"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listAccessTokens: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which tokens to list. May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListAccessTokensRequest"];
            };
        };
        responses: {
            /** @description The tokens, newest first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedTokens"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    revokeAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which tokens to revoke. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeAccessTokenRequest"];
            };
        };
        responses: {
            /** @description The tokens are revoked. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedTokens"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    checkAccessToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The token, and where it would be used. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckAccessTokenRequest"];
            };
        };
        responses: {
            /** @description What is known about the token. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckedToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listAccessTokenRevocations: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The project. May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListRevocationsRequest"];
            };
        };
        responses: {
            /** @description The revocations, newest first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenRevocations"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    getSigningKeys: {
        parameters: {
            query: {
                /**
                 * @description The project. A token must be verified with the keys of its own project alone.
                 * @example demo
                 */
                project_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which deliveries to list. May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListDeliveriesRequest"];
            };
        };
        responses: {
            /** @description The deliveries, newest first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    resendDeliveries: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description What to send again. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendDeliveriesRequest"];
            };
        };
        responses: {
            /** @description They are queued, and sent within a second if a process of the service runs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResentDeliveries"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description The project. May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListWebhookEndpointsRequest"];
            };
        };
        responses: {
            /** @description The endpoints. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoints"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    enableWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which endpoint. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnableWebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint is on. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Who requests this, such as a person's id in a chat: visible ASCII. The service stores it with
                 *     the token or in the audit log, as the caller's word. Creating a token takes it as well.
                 * @example slack:T0PLAY/U0ANN
                 */
                "x-requested-by"?: components["parameters"]["RequestedBy"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description Which entries to list. May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ListAuditLogRequest"];
            };
        };
        responses: {
            /** @description The entries, newest first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    auth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthRequest"];
            };
        };
        responses: {
            /** @description Whether the client is admitted. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionEvent"];
            };
        };
        responses: {
            /** @description The event is accepted. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionEvent"];
            };
        };
        responses: {
            /** @description The event is accepted and durable. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    authByPath: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The intake key, for senders that can configure only a URL. It is never logged.
                 * @example <INTAKE_KEY>
                 */
                intake_key: components["parameters"]["IntakeKey"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthRequest"];
            };
        };
        responses: {
            /** @description Whether the client is admitted. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    sessionByPath: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The intake key, for senders that can configure only a URL. It is never logged.
                 * @example <INTAKE_KEY>
                 */
                intake_key: components["parameters"]["IntakeKey"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionEvent"];
            };
        };
        responses: {
            /** @description The event is accepted. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    eventByPath: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The intake key, for senders that can configure only a URL. It is never logged.
                 * @example <INTAKE_KEY>
                 */
                intake_key: components["parameters"]["IntakeKey"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionEvent"];
            };
        };
        responses: {
            /** @description The event is accepted and durable. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["ServiceUnavailable"];
            default: components["responses"]["Unexpected"];
        };
    };
    callMediaApi: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The operation: `Media_<YYYYMMDD>.<OperationName>`.
                 * @example Media_20151104.DisconnectChannel
                 */
                "x-media-target": components["parameters"]["MediaTarget"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MediaApiRequest"];
            };
        };
        responses: {
            /** @description The media server's answer. Its failures are returned with their own status. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
            504: components["responses"]["GatewayTimeout"];
            default: components["responses"]["Unexpected"];
        };
    };
}
