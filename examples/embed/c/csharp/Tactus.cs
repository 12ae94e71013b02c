using System;
using System.Runtime.InteropServices;

/// The functions of tactus.h for C#, in Unity and elsewhere. tactus.h documents them and the lifetime of pointers.
/// Needs "allow unsafe code". Put the library into the folder of plug-ins: libarena.so, libarena.dylib or arena.dll.
public static unsafe class Tactus
{
    const string Library = "arena";

    public struct Options
    {
        public UIntPtr Size;
        public byte* Server, Token;
        public UIntPtr TokenSize;
        public byte* Login;
        public UIntPtr LoginSize;
        public ulong Player;
        public uint Flags, ConnectMillis;
        public long Now;
        public byte* Recording;
        public UIntPtr RecordingSize;
        public uint LastOf, Keep;
    }

    public struct Failure
    {
        public int Reason;
        public fixed byte Text[1020];
    }

    public struct Table
    {
        public ulong Mask;
        public uint Rows, Simulated;
        public uint* Ids;
        public ulong* Handles;
        public void** Columns;
    }

    public struct News
    {
        public ulong Row;
        public uint Id, Tick, Number, At, Size;
        public ushort Which;
        public byte Kind, Unused;
    }

    public struct View
    {
        public uint Generation, Tables;
        public Table* Table;
        public void** Singles;
        public News* News;
        public byte* Values;
        public uint NewsCount, ValuesSize;
        public double* Stats;
        public uint StatsCount, ColumnsCount;
    }

    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_abi();
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern byte* tactus_lines();
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern long tactus_now();
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern uint tactus_open(Options* options, Failure* why);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_set_input(uint client, void* input, UIntPtr size);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_advance(uint client, long now);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern long tactus_next(uint client);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern View* tactus_frame(uint client, long now);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_send(uint client, uint which, void* message, UIntPtr size);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_raise(uint client, uint which, void* happening, UIntPtr size);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_command(uint client, uint which, void* command, UIntPtr size);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern double tactus_replay(uint client, int command, double value);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_end(uint client);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern byte* tactus_text(uint client);
    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] public static extern int tactus_close(uint client);

    /// Opens a client. Throws the error of the library.
    public static uint Open(string server)
    {
        Failure why;
        fixed (byte* name = System.Text.Encoding.UTF8.GetBytes(server + "\0"))
        {
            var options = new Options { Size = (UIntPtr)sizeof(Options), Server = name };
            uint client = tactus_open(&options, &why);
            if (client == 0) throw new InvalidOperationException(Text(why.Text));
            return client;
        }
    }

    /// Converts a text of the library.
    public static string Text(byte* text)
    {
        int n = 0;
        while (text[n] != 0) n++;
        return System.Text.Encoding.UTF8.GetString(text, n);
    }
}
