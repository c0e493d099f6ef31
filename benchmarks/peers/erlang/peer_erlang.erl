%% SPDX-License-Identifier: MIT

%% Actorlab's workloads on Erlang/OTP. It mirrors send-static, send-dynamic, executor and repeat in
%% benchmarks/workloads/chapter, and big and bang in benchmarks/workloads/las, with processes, sends
%% and receives.
%%
%% An iteration is {Messages, Start, Check}. Start() spawns the actors and sends the first messages;
%% the time ends when the last actor ends. Check() returns ok, or a line that says what is wrong.
%% Processes leave their results and the count of live processes in atomics, because messages for
%% these would add to those of the workload. Pids that all actors of a workload need are in a
%% persistent term, which is shared, whereas messages are copied.

-module(peer_erlang).
-export([main/0]).

-record(arguments, {workload, workers = 1, iterations = 5, warmup = 1, seed = 1, given = #{}}).

main() ->
    try run(parse(init:get_plain_arguments(), #arguments{})) of
        Code -> halt(Code)
    catch
        throw:Text -> complain(Text), halt(2);
        Class:Reason:Stack -> complain(io_lib:format("~p: ~p at ~p", [Class, Reason, Stack])), halt(3)
    end.

complain(Text) ->
    io:format(standard_error, "peer-erlang: ~s~n", [Text]).

parse([], #arguments{workload = undefined}) -> throw("no workload");
parse([], A) -> A;
parse(["--workers", N | Rest], A) -> parse(Rest, A#arguments{workers = number("--workers", N)});
parse(["--iterations", N | Rest], A) -> parse(Rest, A#arguments{iterations = number("--iterations", N)});
parse(["--warmup", N | Rest], A) -> parse(Rest, A#arguments{warmup = number("--warmup", N)});
parse(["--seed", N | Rest], A) -> parse(Rest, A#arguments{seed = number("--seed", N)});
parse(["--set", Setting | Rest], A = #arguments{given = Given}) ->
    case string:split(Setting, "=") of
        [Key, Value] -> parse(Rest, A#arguments{given = Given#{Key => value(Key, Value)}});
        _ -> throw("--set " ++ Setting ++ " is not of the form KEY=VALUE")
    end;
parse([Word = "-" ++ _ | _], _) -> throw(Word ++ " is not understood");
parse([Word | Rest], A) -> parse(Rest, A#arguments{workload = Word}).

number(Key, Text) ->
    try list_to_integer(Text) of
        N when N >= 0 -> N;
        _ -> throw(Key ++ " " ++ Text ++ " is negative")
    catch
        error:badarg -> throw(Key ++ " " ++ Text ++ " is no whole number")
    end.

%% A word, or a whole number. What `memory` asks for does not apply: each process has a heap of its
%% own.
value("memory", Text) -> Text;
value("partners", Text) ->
    lists:member(Text, ["random", "all"]) orelse throw("no partners=" ++ Text ++ " here"),
    Text;
value("start", Text) ->
    lists:member(Text, ["all", "groups"]) orelse throw("no start=" ++ Text ++ " here"),
    Text;
value(Key, Text) -> number(Key, Text).

shown(Value) when is_integer(Value) -> integer_to_list(Value);
shown(Word) -> [$", Word, $"].

%% The parameters of each workload, in the order of its arguments.
workload("send-static") -> {["sends"], fun send_static/2};
workload("send-dynamic") -> {["sends", "memory"], fun send_dynamic/2};
workload("executor") -> {["actors", "group", "rounds", "batch", "start"], fun executor/2};
workload("repeat") -> {["servers", "rounds"], fun repeat/2};
workload("big") -> {["actors", "pings", "partners"], fun big/2};
workload("bang") -> {["senders", "messages", "memory"], fun bang/2};
workload(Name) -> throw("no workload '" ++ Name ++ "' here").

run(A = #arguments{workload = Name, given = Given, seed = Seed}) ->
    {Keys, Prepare} = workload(Name),
    [maps:is_key(Key, Given) orelse throw("--set " ++ Key ++ "=... is needed") || Key <- Keys],
    [lists:member(Key, Keys) orelse throw("no parameter " ++ Key ++ " here") || Key <- maps:keys(Given)],
    A#arguments.workers =:= erlang:system_info(schedulers_online) orelse throw("other schedulers than asked for"),
    Values = [maps:get(Key, Given) || Key <- Keys],
    {Messages, Times, Wrong} = iterations(A, fun() -> Prepare(Values, Seed) end),
    Shown = [io_lib:format("\"~s\": ~s", [Key, shown(Value)]) || {Key, Value} <- lists:zip(Keys, Values)],
    io:format("{\"benchmark\": \"~s\", \"parameters\": {~s}, \"workers\": ~b, \"time_ns\": ~w, \"messages\": ~b, "
              "\"peak_rss_bytes\": ~b, \"version\": \"Erlang/OTP ~s, ERTS ~s\", ~s}~n",
              [Name, lists:join(", ", Shown), A#arguments.workers, Times, Messages, peak_rss_bytes(),
               erlang:system_info(otp_release), erlang:system_info(version), outcome(Wrong)]),
    case Wrong of
        ok -> 0;
        _ -> 1
    end.

outcome(ok) -> "\"outcome\": \"ok\"";
outcome(Wrong) -> io_lib:format("\"outcome\": \"wrong\", \"error\": \"~s\"", [Wrong]).

iterations(#arguments{warmup = Warmup, iterations = N}, Prepare) ->
    iterations(-Warmup, N, Prepare, 0, []).

iterations(N, N, _, Messages, Times) -> {Messages, lists:reverse(Times), ok};
iterations(I, N, Prepare, _, Times) ->
    {Messages, Start, Check} = Prepare(),
    erlang:garbage_collect(),
    Began = erlang:monotonic_time(nanosecond),
    Start(),
    receive ended -> ok end,
    Time = erlang:monotonic_time(nanosecond) - Began,
    persistent_term:erase(?MODULE),
    case Check() of
        ok when I < 0 -> iterations(I + 1, N, Prepare, Messages, Times);
        ok -> iterations(I + 1, N, Prepare, Messages, [Time | Times]);
        Wrong -> {Messages, lists:reverse(Times), Wrong}
    end.

peak_rss_bytes() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Kibibytes]} = re:run(Status, "VmHWM:\\s*(\\d+)", [{capture, all_but_first, list}]),
    list_to_integer(Kibibytes) * 1024.

%% The count of live actors. The last one to end tells the waiting process.

living(N) ->
    Live = atomics:new(1, []),
    atomics:put(Live, 1, N),
    {Live, self()}.

ended({Live, Waiting}) ->
    case atomics:sub_get(Live, 1, 1) of
        0 -> Waiting ! ended;
        _ -> ok
    end.

expect(Right, Right, _) -> ok;
expect(Got, Right, What) -> io_lib:format("~b ~s instead of ~b", [Got, What, Right]).

%% The first of the values that is wrong.
expect_each(Results, N, Right, What) ->
    Wrong = [Got || I <- lists:seq(1, N), (Got = atomics:get(Results, I)) =/= Right],
    expect(hd(Wrong ++ [Right]), Right, What).

first_wrong([]) -> ok;
first_wrong([Check | Checks]) ->
    case Check() of
        ok -> first_wrong(Checks);
        Wrong -> Wrong
    end.

%% send-static: one actor sends a message to itself.

send_static([Sends], _) ->
    Received = atomics:new(1, []),
    Live = living(1),
    {Sends,
     fun() -> spawn(fun() -> sender(0, Sends, Received, Live) end) ! ping end,
     fun() -> expect(atomics:get(Received, 1), Sends, "messages received") end}.

sender(N, Sends, Received, Live) ->
    receive ping -> ok end,
    case N + 1 of
        Sends ->
            atomics:put(Received, 1, Sends),
            ended(Live);
        More ->
            self() ! ping,
            sender(More, Sends, Received, Live)
    end.

%% send-dynamic: an actor that receives a message creates a new actor, sends it a message, and ends.
%% The message is the number received so far.

send_dynamic([Sends, _], _) ->
    Received = atomics:new(1, []),
    Live = living(1),
    {Sends,
     fun() -> send_new(0, Sends, Received, Live) end,
     fun() -> expect(atomics:get(Received, 1), Sends, "actors received a message") end}.

send_new(N, Sends, Received, Live) ->
    spawn(fun() -> newborn(Sends, Received, Live) end) ! {ping, N}.

newborn(Sends, Received, Live) ->
    receive
        {ping, N} when N + 1 < Sends -> send_new(N + 1, Sends, Received, Live);
        {ping, N} -> atomics:put(Received, 1, N + 1), ended(Live)
    end.

%% executor: groups of actors flood one another.

-record(member, {number, first, group, total, batch, all, received, live}).

executor([Actors, Group, Rounds, Batch, Start], _) ->
    Total = Group * Rounds,
    Group > 0 andalso Batch > 0 andalso Actors rem Group =:= 0 andalso Total rem Batch =:= 0
        orelse throw("group must divide actors, and batch group x rounds"),
    Received = atomics:new(Actors, []),
    Common = #member{group = Group, total = Total, batch = Batch, received = Received, live = living(Actors)},
    Woken = case Start of "groups" -> [G * Group + G rem Group + 1 || G <- lists:seq(0, Actors div Group - 1)]; _ -> [] end,
    {Actors * (Total + 1) + length(Woken),
     fun() ->
         Spawn = fun(I) -> Common#member{number = I, first = (I - 1) div Group * Group + 1} end,
         All = [begin Member = Spawn(I), spawn(fun() -> begin_member(Member) end) end || I <- lists:seq(1, Actors)],
         persistent_term:put(?MODULE, list_to_tuple(All)),
         case Woken of
             [] -> [Member ! go || Member <- All];
             _ -> [lists:nth(I, All) ! wake || I <- Woken]
         end
     end,
     fun() -> expect_each(Received, Actors, Total + 1, "messages received by an actor") end}.

begin_member(M) ->
    receive
        wake -> start_group(M#member{all = persistent_term:get(?MODULE)}), begin_member(M);
        go -> received(M#member{all = persistent_term:get(?MODULE)}, 0, 0, 0)
    end.

start_group(#member{first = First, group = Group, all = All}) ->
    [element(I, All) ! go || I <- lists:seq(First, First + Group - 1)].

member(M, Received, Countdown, Next) ->
    receive go -> received(M, Received, Countdown, Next) end.

received(#member{total = Received} = M, Received, _, _) ->
    atomics:put(M#member.received, M#member.number, Received + 1),
    ended(M#member.live);
received(M, Received, 0, Next) ->
    member(M, Received + 1, M#member.batch - 1, send_batch(M, M#member.batch, Next));
received(M, Received, Countdown, Next) ->
    member(M, Received + 1, Countdown - 1, Next).

send_batch(_, 0, Next) -> Next;
send_batch(M = #member{first = First, group = Group, all = All}, N, Next) ->
    element(First + Next, All) ! go,
    case Next + 1 of
        Group -> send_batch(M, N - 1, 0);
        After -> send_batch(M, N - 1, After)
    end.

%% repeat: one client asks many servers, again and again. Its mailbox is long, so messages are kept
%% off its heap, where each garbage collection would copy them.

repeat([Servers, Rounds], _) ->
    Answers = atomics:new(Servers, []),
    Sum = atomics:new(1, []),
    Live = living(Servers + 1),
    {2 * Servers * Rounds + 1 + Servers,
     fun() ->
         Client = spawn_opt(fun() -> receive {go, All} -> ask_all(All, 0), client(All, Rounds, Sum, Live) end end,
                            [{message_queue_data, off_heap}]),
         Client ! {go, [spawn(fun() -> server(I, 0, Answers, Live) end) || I <- lists:seq(1, Servers)]}
     end,
     fun() ->
         first_wrong([fun() -> expect_each(Answers, Servers, Rounds, "answers of a server") end,
                      fun() -> expect(atomics:get(Sum, 1), Servers * (Rounds * (Rounds + 1) div 2),
                                      "is the sum that the client got") end])
     end}.

server(I, N, Answers, Live) ->
    receive
        {ask, Client, Trips} ->
            Client ! {answer, Trips + 1},
            server(I, N + 1, Answers, Live);
        stop ->
            atomics:put(Answers, I, N),
            ended(Live)
    end.

ask_all(Servers, Trips) ->
    Self = self(),
    lists:foreach(fun(Server) -> Server ! {ask, Self, Trips} end, Servers).

client(All, Rounds, Sum, Live) -> client(All, Rounds, 1, length(All), 0, Sum, Live).

%% Round is the present round, Left the number of answers still to come in it.
client(All, Rounds, Rounds, 0, Got, Sum, Live) ->
    atomics:put(Sum, 1, Got),
    lists:foreach(fun(Server) -> Server ! stop end, All),
    ended(Live);
client(All, Rounds, Round, 0, Got, Sum, Live) ->
    ask_all(All, Round),
    client(All, Rounds, Round + 1, length(All), Got, Sum, Live);
client(All, Rounds, Round, Left, Got, Sum, Live) ->
    receive {answer, Trips} -> client(All, Rounds, Round, Left - 1, Got + Trips, Sum, Live) end.

%% big: every actor pings others in rounds, one drawn at random or all of them. The seed determines
%% the choices, and so how many pings each actor receives.

-record(pinger, {number, actors, pings, partners, sink, all, pinged, ponged, strays, live}).

big([Actors, Pings, Partners], Seed) ->
    Actors >= 2 orelse throw(io_lib:format("actors=~b: nobody to ping", [Actors])),
    [Due, Pinged, Ponged] = [atomics:new(Actors, []) || _ <- [due, pinged, ponged]],
    Strays = atomics:new(1, []),
    Live = living(Actors + 1),
    Common = #pinger{actors = Actors, pings = Pings, partners = Partners, pinged = Pinged, ponged = Ponged,
                     strays = Strays, live = Live},
    [count_due(Common#pinger{number = I}, 0, random(Seed, I), Due) || I <- lists:seq(1, Actors)],
    {Actors * (2 * Pings + 3),
     fun() ->
         Sink = spawn(fun() -> sink(Actors, Live) end),
         All = [spawn(fun() -> begin_pinger(Common#pinger{number = I, sink = Sink}, random(Seed, I)) end)
                || I <- lists:seq(1, Actors)],
         persistent_term:put(?MODULE, list_to_tuple(All)),
         [Pinger ! go || Pinger <- All]
     end,
     fun() ->
         first_wrong([fun() -> expect_each(Ponged, Actors, Pings, "pongs received by an actor") end,
                      fun() -> expect(atomics:get(Strays, 1), 0, "rounds with pongs of others than were pinged") end |
                      [fun() -> expect(atomics:get(Pinged, I), atomics:get(Due, I), "pings received by an actor") end
                       || I <- lists:seq(1, Actors)]])
     end}.

random(Seed, Number) ->
    rand:seed_s(exsss, {Seed, Number, 0}).

%% The partner for the n-th ping, from 0; returns the generator, too.
partner(#pinger{partners = "all", actors = Actors, number = Number}, N, Random) ->
    {other(Number, N rem (Actors - 1) + 1), Random};
partner(#pinger{actors = Actors, number = Number}, _, Random) ->
    {Drawn, Next} = rand:uniform_s(Actors - 1, Random),
    {other(Number, Drawn), Next}.

%% All actors but the one with this number, as 1, 2 and so on.
other(Number, Other) when Other < Number -> Other;
other(_, Other) -> Other + 1.

count_due(#pinger{pings = Pings}, Pings, _, _) -> ok;
count_due(P, N, Random, Due) ->
    {Other, Next} = partner(P, N, Random),
    atomics:add(Due, Other, 1),
    count_due(P, N + 1, Next, Due).

begin_pinger(P, Random) ->
    receive go -> ok end,
    send_pings(P#pinger{all = persistent_term:get(?MODULE)}, 0, 0, Random).

%% All pings that were sent have been answered, so they are as many as the pongs.
send_pings(P = #pinger{partners = Partners, actors = Actors, pings = Pings}, Pinged, Ponged, Random) ->
    Round = case Partners of "all" -> Actors - 1; _ -> 1 end,
    send_pings(P, Ponged, min(Ponged + Round, Pings), 0, Pinged, Ponged, Random).

%% Owed is the sum of the numbers of the actors that owe it a pong.
send_pings(P, Sent, Sent, Owed, Pinged, Ponged, Random) -> pinger(P, Sent, Owed, Pinged, Ponged, Random);
send_pings(P = #pinger{all = All}, N, Sent, Owed, Pinged, Ponged, Random) ->
    {Other, Next} = partner(P, N, Random),
    element(Other, All) ! {ping, self()},
    send_pings(P, N + 1, Sent, Owed + Other, Pinged, Ponged, Next).

pinger(P, Sent, Owed, Pinged, Ponged, Random) ->
    receive
        {ping, From} ->
            From ! {pong, P#pinger.number},
            pinger(P, Sent, Owed, Pinged + 1, Ponged, Random);
        {pong, From} when Ponged + 1 < Sent ->
            pinger(P, Sent, Owed - From, Pinged, Ponged + 1, Random);
        {pong, From} ->
            From =:= Owed orelse atomics:add(P#pinger.strays, 1, 1),
            end_round(P, Pinged, Ponged + 1, Random);
        stop ->
            atomics:put(P#pinger.pinged, P#pinger.number, Pinged),
            atomics:put(P#pinger.ponged, P#pinger.number, Ponged),
            ended(P#pinger.live)
    end.

end_round(P = #pinger{pings = Pings}, Pinged, Pings, Random) ->
    P#pinger.sink ! done,
    pinger(P, Pings, 0, Pinged, Pings, Random);
end_round(P, Pinged, Ponged, Random) ->
    send_pings(P, Pinged, Ponged, Random).

sink(0, Live) ->
    lists:foreach(fun(Pinger) -> Pinger ! stop end, tuple_to_list(persistent_term:get(?MODULE))),
    ended(Live);
sink(Left, Live) ->
    receive done -> sink(Left - 1, Live) end.

%% bang: many senders flood one receiver, which must see each sender's messages in order.

bang([Senders, Messages, _], _) ->
    Received = atomics:new(Senders, []),
    Misplaced = atomics:new(1, []),
    Live = living(Senders + 1),
    {Senders * (Messages + 1),
     fun() ->
         Receiver = spawn_opt(fun() -> receiver(Senders * Messages, Received, Misplaced, Live) end,
                              [{message_queue_data, off_heap}]),
         [spawn(fun() -> receive go -> bang_on(Receiver, I, 1, Messages, Live) end end) ! go
          || I <- lists:seq(1, Senders)]
     end,
     fun() ->
         first_wrong([fun() -> expect(atomics:get(Misplaced, 1), 0, "messages out of their sender's order") end |
                      [fun() -> expect(atomics:get(Received, I), Messages, "messages of a sender") end
                       || I <- lists:seq(1, Senders)]])
     end}.

bang_on(_, _, Sequence, N, Live) when Sequence > N -> ended(Live);
bang_on(Receiver, Number, Sequence, N, Live) ->
    Receiver ! {Number, Sequence},
    bang_on(Receiver, Number, Sequence + 1, N, Live).

receiver(0, _, _, Live) -> ended(Live);
receiver(Left, Received, Misplaced, Live) ->
    receive
        {Number, Sequence} ->
            atomics:add_get(Received, Number, 1) =:= Sequence orelse atomics:add(Misplaced, 1, 1),
            receiver(Left - 1, Received, Misplaced, Live)
    end.
