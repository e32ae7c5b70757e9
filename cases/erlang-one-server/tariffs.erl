%% SPDX-License-Identifier: Apache-2.0
%% Tariffs over HTTP. Each connection has a process; the price of a page is computed by the one server process that owns the
%% tariffs, or by the connection's own process. erl -s tariffs start PORT server|caller WAYPOINTS
-module(tariffs).
-export([start/1, init/1, handle_call/3, handle_cast/2]).
-behaviour(gen_server).

start([Port, How, Points]) ->
    Waypoints = list_to_integer(atom_to_list(Points)),
    {ok, _} = gen_server:start({local, owner}, ?MODULE, Waypoints, []),
    {ok, Listener} = gen_tcp:listen(list_to_integer(atom_to_list(Port)),
        [binary, {packet, http_bin}, {active, false}, {reuseaddr, true}, {nodelay, true}, {ip, {127, 0, 0, 1}}, {backlog, 64}]),
    accept(Listener, How, Waypoints).

accept(Listener, How, Waypoints) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Connection = spawn(fun() -> receive go -> connection(Socket, How, Waypoints) end end),
    ok = gen_tcp:controlling_process(Socket, Connection),
    Connection ! go,
    accept(Listener, How, Waypoints).

connection(Socket, How, Waypoints) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, http_eoh} ->
            Answer = integer_to_binary(price(How, Waypoints)),
            Length = integer_to_binary(byte_size(Answer)),
            ok = gen_tcp:send(Socket, [<<"HTTP/1.1 200 OK\r\nContent-Length: ">>, Length, <<"\r\n\r\n">>, Answer]),
            connection(Socket, How, Waypoints);
        {ok, _} -> connection(Socket, How, Waypoints);
        {error, _} -> ok
    end.

price(server, _) -> gen_server:call(owner, price, infinity);
price(caller, Waypoints) -> route(Waypoints, 17).

init(Waypoints) -> {ok, Waypoints}.
handle_call(price, _From, Waypoints) -> {reply, route(Waypoints, 17), Waypoints}.
handle_cast(_, Waypoints) -> {noreply, Waypoints}.

route(0, Sum) -> Sum;
route(Left, Sum) -> route(Left - 1, (Sum * 1103515245 + 12345) rem 2147483648).
